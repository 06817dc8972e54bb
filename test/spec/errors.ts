/** Rows of the spec's tables of errors, as data (spec: Errors). */
import type { ErrorCode } from '../../src/kernel/errors.ts'

/** A general code, and the endpoint that is led to it; `unused` says why nothing here can answer with it. */
export interface GeneralRow {
  readonly status: number
  readonly code: ErrorCode
  readonly at?: string
  readonly unused?: string
}

export const generalRows: readonly GeneralRow[] = [
  { status: 400, code: 'json_error', at: 'firewalls.create' },
  { status: 401, code: 'unauthorized', at: 'firewalls.list' },
  { status: 401, code: 'token_readonly', at: 'firewalls.create' },
  { status: 403, code: 'forbidden', unused: 'a token may do everything that its kind allows' },
  { status: 403, code: 'maintenance', unused: 'nothing is taken down for maintenance' },
  { status: 403, code: 'resource_limit_exceeded', at: 'floating_ips.create' },
  { status: 404, code: 'not_found', at: 'firewalls.get' },
  { status: 405, code: 'method_not_allowed' },
  { status: 409, code: 'uniqueness_error', at: 'ssh_keys.create' },
  { status: 409, code: 'conflict', at: 'firewalls.update' },
  { status: 410, code: 'deprecated_api_endpoint', at: 'actions.list' },
  { status: 412, code: 'resource_unavailable', at: 'servers.create' },
  { status: 422, code: 'invalid_input', at: 'firewalls.create' },
  { status: 422, code: 'service_error', at: 'floating_ips.unassign' },
  { status: 422, code: 'unsupported_error', at: 'images.update' },
  { status: 423, code: 'locked', at: 'floating_ips.assign' },
  { status: 423, code: 'protected', at: 'floating_ips.remove' },
  { status: 429, code: 'rate_limit_exceeded' },
  { status: 500, code: 'server_error' },
  { status: 503, code: 'unavailable' },
  { status: 504, code: 'timeout' },
]

/** The shape that the details of a code have; `string` stands for any text. */
export const detailRows: readonly { readonly code: ErrorCode; readonly at: string; readonly shape: unknown }[] = [
  {
    code: 'invalid_input',
    at: 'firewalls.create',
    shape: { fields: [{ name: 'string', messages: ['string'] }] },
  },
  { code: 'uniqueness_error', at: 'ssh_keys.create', shape: { fields: [{ name: 'string' }] } },
  { code: 'resource_limit_exceeded', at: 'floating_ips.create', shape: { limits: [{ name: 'string' }] } },
  { code: 'deprecated_api_endpoint', at: 'actions.list', shape: { announcement: 'string' } },
]

/** A code of one operation. The spec leaves most statuses open; these are the ones that clients know. */
export interface SpecificRow {
  /** As the table of the spec names it. */
  readonly operation: string
  readonly at: string
  readonly codes: readonly { readonly code: ErrorCode; readonly status: number }[]
  /** Codes of the row that nothing answers with, and why. */
  readonly unused?: Readonly<Record<string, string>>
}

const notFoundOnChange = { code: 'firewall_resource_not_found', status: 404 } as const

export const specificRows: readonly SpecificRow[] = [
  {
    operation: 'POST /certificates/{id}/actions/retry',
    at: 'certificates.retry',
    codes: [],
    unused: Object.fromEntries(
      [
        'caa_record_does_not_allow_ca',
        'ca_dns_validation_failed',
        'ca_too_many_authorizations_failed_recently',
        'ca_too_many_certificates_issued_for_registered_domain',
        'ca_too_many_duplicate_certificates',
        'could_not_verify_domain_delegated_to_zone',
        'dns_zone_not_found',
        'dns_zone_is_secondary_zone',
      ].map((code) => [code, 'the retry is answered before it can fail; the action and the status carry the code']),
    ),
  },
  {
    operation: 'POST /firewalls',
    at: 'firewalls.create',
    codes: [
      { code: 'server_already_added', status: 422 },
      { code: 'incompatible_network_type', status: 422 },
      { code: 'firewall_resource_not_found', status: 422 },
    ],
  },
  {
    operation: 'DELETE /firewalls/{id}',
    at: 'firewalls.remove',
    codes: [{ code: 'resource_in_use', status: 422 }],
  },
  {
    operation: 'POST /firewalls/{id}/actions/apply_to_resources',
    at: 'firewalls.applyToResources',
    codes: [
      { code: 'firewall_already_applied', status: 422 },
      { code: 'incompatible_network_type', status: 422 },
      notFoundOnChange,
    ],
  },
  {
    operation: 'POST /firewalls/{id}/actions/remove_from_resources',
    at: 'firewalls.removeFromResources',
    codes: [notFoundOnChange, { code: 'firewall_managed_by_label_selector', status: 422 }],
    unused: { firewall_already_removed: 'the row itself says that it is no longer used' },
  },
  {
    operation: 'POST /firewalls/{id}/actions/set_rules',
    at: 'firewalls.setRules',
    codes: [],
    unused: { firewall_resource_not_found: 'rules name no resource that could be missing' },
  },
  {
    operation: 'Firewall operations, resource to attach/detach does not exist',
    at: 'firewalls.applyToResources',
    codes: [notFoundOnChange],
  },
  {
    operation: 'DELETE of an assigned Primary IP or Floating IP (from 1 May 2026)',
    at: 'floating_ips.remove',
    codes: [{ code: 'must_be_unassigned', status: 422 }],
  },
  {
    operation: 'POST /primary_ips and POST /floating_ips, no IP available',
    at: 'floating_ips.create',
    codes: [{ code: 'unavailable', status: 412 }],
  },
]
