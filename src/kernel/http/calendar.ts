/** Endpoints come and go with dated changes (spec: Versioning). */
import type { FastifyRequest } from 'fastify'
import { inEffect } from '../contract/changes.ts'
import type { Endpoint } from '../contract/contract.ts'
import { searchOf } from '../contract/urls.ts'
import { ApiError } from '../errors.ts'
import { linksFrom } from './replies.ts'

/** An endpoint exists between the changes that added and removed it. Errors: `not_found`, `deprecated_api_endpoint`. */
export function checkCalendar(
  request: FastifyRequest,
  endpoint: Endpoint,
  nowMs: number,
  options: { readonly publicOrigins?: readonly string[] },
): void {
  const { addedBy, removedBy, removedWithout: without } = endpoint
  if (addedBy && !inEffect(addedBy, nowMs)) throw new ApiError('not_found', 'there is nothing at this path')
  if (removedBy && inEffect(removedBy, nowMs))
    throw removed(linksFrom(request, options), 'this endpoint', `/v1/changes#${removedBy.name}`)
  if (without && inEffect(without.by, nowMs) && !new URLSearchParams(searchOf(request.url)).has(without.param)) {
    throw removed(linksFrom(request, options), `this endpoint without ${without.param}`, without.announcement)
  }
}

function removed(origin: string, what: string, path: string): ApiError {
  const details = { announcement: origin + path }
  return new ApiError('deprecated_api_endpoint', `${what} was removed`, { details })
}
