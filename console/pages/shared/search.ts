/** The search parameters of a list of resources: the filter, the order, the page, and one group of them. */
import { type ListSearch, listSearch } from '../../ui/use-list.ts'

export interface ResourceSearch extends ListSearch {
  /** Such as a type or a state; what there is depends on the list. */
  readonly group?: string | undefined
  /** The same by the name that the API has for it, where it is the state. */
  readonly status?: string | undefined
}

export function resourceSearch(search: Record<string, unknown>): ResourceSearch {
  const { group, status } = search
  return {
    ...listSearch(search),
    ...(typeof group === 'string' && group ? { group } : {}),
    ...(typeof status === 'string' && status ? { status } : {}),
  }
}
