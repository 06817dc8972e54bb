/**
 * Resources that are parts of another one and go with it, such as the snapshots of something. There are few of them in each
 * whole, so that a list shows all of them, and is made in memory.
 */
import type { Sort } from '../contract/contract.ts'
import { matches, type Selector } from '../contract/selectors.ts'
import { pageOf } from './listing.ts'
import type { ResourceItem } from './resource.ts'

/** One request for all parts, as `listingOfParts(...)` of the contract parses it. */
export interface PartsQuery {
  readonly sort: readonly Sort[]
  readonly name?: string | undefined
  readonly label_selector?: Selector | undefined
}

/** Those of some parts, which are given by id, that a request asks for, in its order. `fieldOf` tells what it sorts by. */
export function selectParts<Part extends ResourceItem>(
  parts: readonly Part[],
  { sort, name, label_selector }: PartsQuery,
  fieldOf: (part: Part, field: string) => string | number,
): readonly Part[] {
  const some = parts.filter(
    (part) => (name === undefined || part.name === name) && (!label_selector || matches(label_selector, part.labels)),
  )
  return pageOf(some, { page: 1, per_page: Math.max(1, some.length), sort }, fieldOf).rows
}
