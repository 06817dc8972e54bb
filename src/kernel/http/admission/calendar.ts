/** Endpoints that are not there: they come and go with dated changes, and not every installation has all. */
import { publicBase } from '../../contract/bases.ts'
import { inEffect } from '../../contract/changes.ts'
import type { Endpoint } from '../../contract/contract.ts'
import { searchOf } from '../../contract/urls.ts'
import { ApiError } from '../../errors.ts'

/**
 * An endpoint exists between the changes that added and removed it; `linked` turns a path into a link. Errors:
 * `not_found`, `deprecated_api_endpoint`.
 */
export function checkCalendar(
  { addedBy, removedBy, removedWithout: without }: Endpoint,
  url: string,
  nowMs: number,
  linked: (path: string) => string,
): void {
  if (addedBy && !inEffect(addedBy, nowMs)) throw new ApiError('not_found', 'there is nothing at this path')
  if (removedBy && inEffect(removedBy, nowMs)) {
    throw removed('this endpoint', linked(`${publicBase}/changes#${removedBy.name}`))
  }
  if (without && inEffect(without.by, nowMs) && !new URLSearchParams(searchOf(url)).has(without.param)) {
    throw removed(`this endpoint without ${without.param}`, linked(without.announcement))
  }
}

function removed(what: string, announcement: string): ApiError {
  return new ApiError('deprecated_api_endpoint', `${what} was removed`, { details: { announcement } })
}

/**
 * The refusal of a path without an endpoint. Families of the public API that this installation lacks are told from
 * paths that nobody has.
 */
export function nothingAt(path: string, lacking: Readonly<Record<string, string>> = {}): ApiError {
  const lacked = Object.keys(lacking).find((root) => path === root || path.startsWith(`${root}/`))
  if (lacked === undefined) return new ApiError('not_found', 'there is nothing at this path')
  return new ApiError('not_found', `this installation has no ${lacking[lacked]}`)
}
