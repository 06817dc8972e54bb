/** What the address of the list of servers says. */
import { type ListSearch, listSearch } from '../../ui/use-list.ts'

export const groups = ['all', 'running', 'off', 'attention'] as const
export type Group = (typeof groups)[number]

export interface ServersSearch extends ListSearch {
  readonly status?: Exclude<Group, 'all'> | undefined
}

export function serversSearch(search: Record<string, unknown>): ServersSearch {
  const status = groups.find((group) => group === search.status)
  return { ...listSearch(search), ...(status && status !== 'all' ? { status } : {}) }
}
