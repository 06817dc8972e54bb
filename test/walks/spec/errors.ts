/** Rows of the spec's tables of errors, as data (spec: Errors). */
import type { ErrorCode } from '../../../src/kernel/errors.ts'
import { specRows } from '../../kit/proofs.ts'
import type { SpecificRow } from './rows.ts'

/** A general code; `unused` says why nothing here can answer with it. */
export interface GeneralRow {
  readonly status: number
  readonly code: ErrorCode
  readonly unused?: string
}

export const generalRows: readonly GeneralRow[] = [
  { status: 400, code: 'json_error' },
  { status: 401, code: 'unauthorized' },
  { status: 401, code: 'token_readonly' },
  { status: 403, code: 'forbidden' },
  { status: 403, code: 'maintenance', unused: 'nothing is taken down for maintenance' },
  { status: 403, code: 'resource_limit_exceeded' },
  { status: 404, code: 'not_found' },
  { status: 405, code: 'method_not_allowed' },
  { status: 409, code: 'uniqueness_error' },
  { status: 409, code: 'conflict' },
  { status: 410, code: 'deprecated_api_endpoint' },
  { status: 412, code: 'resource_unavailable' },
  { status: 422, code: 'invalid_input' },
  { status: 422, code: 'service_error' },
  { status: 422, code: 'unsupported_error' },
  { status: 423, code: 'locked' },
  { status: 423, code: 'protected' },
  { status: 429, code: 'rate_limit_exceeded' },
  { status: 500, code: 'server_error' },
  { status: 503, code: 'unavailable' },
  { status: 504, code: 'timeout' },
]

/** The shape that the details of a code have; `string` stands for any text. */
export const detailRows: readonly { readonly code: ErrorCode; readonly shape: unknown }[] = [
  {
    code: 'invalid_input',
    shape: { fields: [{ name: 'string', messages: ['string'] }] },
  },
  { code: 'uniqueness_error', shape: { fields: [{ name: 'string' }] } },
  { code: 'resource_limit_exceeded', shape: { limits: [{ name: 'string' }] } },
  { code: 'deprecated_api_endpoint', shape: { announcement: 'string' } },
]

export const specificRows: readonly SpecificRow[] = specRows('codes')
