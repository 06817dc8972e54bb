/** The errors that an endpoint may answer with, and their form on the wire (spec: Errors). */
import { Type } from 'typebox'
import type { ErrorCode } from '../errors.ts'
import { type Endpoint, named, nullable } from './contract.ts'

/** All possible error codes of an endpoint: its declared ones and those that follow from its shape. */
export function declaredCodes(endpoint: Endpoint): ReadonlySet<ErrorCode> {
  const codes = new Set<ErrorCode>(['unauthorized', 'rate_limit_exceeded', ...endpoint.errors])
  if (!['nobody', 'anyone'].includes(endpoint.needs)) codes.add('forbidden')
  if (endpoint.elevated) codes.add('elevation_required')
  if (endpoint.method !== 'GET') codes.add('token_readonly')
  if (endpoint.path.includes('{')) codes.add('not_found')
  if (endpoint.addedBy) codes.add('not_found')
  if (endpoint.removedBy) codes.add('deprecated_api_endpoint')
  if (endpoint.body) codes.add('json_error')
  if (endpoint.body || endpoint.query) codes.add('invalid_input')
  return codes
}

/** Codes of failures of the installation itself; any endpoint may return them without declaring them. */
export const troubleCodes: ReadonlySet<ErrorCode> = new Set(['server_error', 'unavailable', 'timeout'])

export const PublicError = named('Error', {
  error: Type.Object({
    code: Type.String(),
    message: Type.String(),
    details: nullable(Type.Record(Type.String(), Type.Unknown())),
  }),
})
