/** Rows of the spec's tables of fields, as data (spec: Resources and their fields), as of the newest change. */

/** What a field may hold. */
export type Kind =
  | 'integer'
  | 'number'
  | 'string'
  | 'timestamp'
  | 'boolean'
  | 'object'
  | 'array'
  | `${'integer' | 'number' | 'string' | 'timestamp' | 'object'} or null`

export interface FieldsRow {
  /** The heading of the table. */
  readonly resource: string
  /** Where one is read: a path, and the root key of its reply. */
  readonly at: string
  readonly key: string
  /** The date of the calendar on which it can be read, unless it is today. */
  readonly on?: string
  readonly fields: Readonly<Record<string, Kind>>
  /** Fields of the table that a dated change has removed by then. */
  readonly removed?: readonly string[]
}

const labelled = { id: 'integer', name: 'string', labels: 'object', created: 'timestamp' } as const

export const fieldRows: readonly FieldsRow[] = [
  {
    resource: 'Action',
    at: 'actions.get',
    key: 'action',
    fields: {
      id: 'integer',
      command: 'string',
      status: 'string',
      progress: 'integer',
      started: 'timestamp',
      finished: 'timestamp or null',
      resources: 'array',
      error: 'object or null',
    },
  },
  {
    resource: 'Certificate',
    at: 'certificates.get',
    key: 'certificate',
    fields: {
      ...labelled,
      type: 'string',
      certificate: 'string or null',
      not_valid_before: 'timestamp or null',
      not_valid_after: 'timestamp or null',
      domain_names: 'array',
      fingerprint: 'string or null',
      status: 'object or null',
      used_by: 'array',
    },
  },
  {
    resource: 'Location',
    at: 'locations.get',
    key: 'location',
    fields: {
      id: 'integer',
      name: 'string',
      description: 'string',
      country: 'string',
      city: 'string',
      latitude: 'number',
      longitude: 'number',
      network_zone: 'string',
    },
  },
  {
    resource: 'Datacenter',
    at: 'datacenters.get',
    key: 'datacenter',
    on: '2026-04-15T12:00:00Z',
    fields: { id: 'integer', name: 'string', description: 'string', location: 'object', server_types: 'object' },
  },
  {
    resource: 'Firewall',
    at: 'firewalls.get',
    key: 'firewall',
    fields: { ...labelled, rules: 'array', applied_to: 'array' },
  },
  {
    resource: 'Floating IP',
    at: 'floating_ips.get',
    key: 'floating_ip',
    fields: {
      ...labelled,
      description: 'string or null',
      type: 'string',
      ip: 'string',
      server: 'integer or null',
      home_location: 'object',
      blocked: 'boolean',
      dns_ptr: 'array',
      protection: 'object',
    },
  },
  {
    resource: 'Image',
    at: 'images.get',
    key: 'image',
    fields: {
      ...labelled,
      // Snapshots and backups have none.
      name: 'string or null',
      type: 'string',
      status: 'string',
      description: 'string',
      created_from: 'object or null',
      bound_to: 'integer or null',
      deleted: 'timestamp or null',
      deprecation: 'object or null',
      disk_size: 'number',
      image_size: 'number or null',
      os_flavor: 'string',
      os_version: 'string or null',
      protection: 'object',
      rapid_deploy: 'boolean',
      architecture: 'string',
    },
    removed: ['deprecated'],
  },
  {
    resource: 'Pagination object (`meta.pagination`)',
    at: 'firewalls.list',
    key: 'meta.pagination',
    fields: {
      page: 'integer',
      per_page: 'integer',
      previous_page: 'integer or null',
      next_page: 'integer or null',
      last_page: 'integer or null',
      total_entries: 'integer or null',
    },
  },
]

/** An expression of a label selector, with labels that it selects and sets of labels that it does not. */
export const selectorRows = [
  { expression: 'k==v or k=v', as: ['k==v', 'k=v'], selects: { k: 'v' }, not: [{ k: 'w' }] },
  { expression: 'k!=v', as: ['k!=v'], selects: { k: 'w' }, not: [{ k: 'v' }, {}] },
  { expression: 'k', as: ['k'], selects: { k: '' }, not: [{ l: 'v' }] },
  { expression: '!k', as: ['!k'], selects: { l: 'v' }, not: [{ k: 'v' }] },
  { expression: 'k in (v1,v2,v3)', as: ['k in (v1,v2,v3)'], selects: { k: 'v2' }, not: [{ k: 'v4' }] },
  { expression: 'k notin (v1,v2,v3)', as: ['k notin (v1,v2,v3)'], selects: { k: 'v4' }, not: [{ k: 'v2' }, {}] },
  { expression: 'k1==v,!k2', as: ['k1==v,!k2'], selects: { k1: 'v' }, not: [{ k1: 'v', k2: 'v' }] },
] as const
