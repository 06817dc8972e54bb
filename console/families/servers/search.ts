/** Reads the addresses of the pages of servers. */
import type { QueryClient } from '@tanstack/react-query'
import type { Api } from '../../api/api.ts'
import { type ListSearch, listSearch } from '../../ui/use-list.ts'

export const groups = ['running', 'off', 'attention'] as const

interface ServersSearch extends ListSearch {
  readonly status?: (typeof groups)[number] | undefined
}

export function serversSearch(search: Record<string, unknown>): ServersSearch {
  const status = groups.find((group) => group === search.status)
  return { ...listSearch(search), ...(status ? { status } : {}) }
}

/** The servers that a long list begins with: they are shown until all are here. */
export function firstServers(api: Api) {
  return api.query('servers_list', { query: { sort: 'name', per_page: 50 } })
}

/** Loads the servers before their list is shown; of many only those that it begins with. */
export async function loadServers(cache: QueryClient, api: Api): Promise<void> {
  const all = api.list('servers_list', {})
  if (cache.getQueryData(all.queryKey)) return
  const { servers, meta } = await cache.fetchQuery(firstServers(api))
  if (!meta.pagination.next_page) cache.setQueryData(all.queryKey, servers)
}

/** The parameters of the address of the form, so that links from elsewhere can fill it in. */
export interface NewServerSearch {
  readonly type?: string | undefined
  readonly image?: string | undefined
  readonly location?: string | undefined
  readonly name?: string | undefined
}

export function newServerSearch(search: Record<string, unknown>): NewServerSearch {
  const keys = ['type', 'image', 'location', 'name'] as const
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value = search[key]
      return typeof value === 'string' || typeof value === 'number' ? [[key, String(value)]] : []
    }),
  )
}
