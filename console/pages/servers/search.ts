/** What the address of the list of servers says. */
import type { Api } from '../../api/api.ts'
import { type ListSearch, listSearch } from '../../ui/use-list.ts'

export const groups = ['running', 'off', 'attention'] as const

export interface ServersSearch extends ListSearch {
  readonly status?: (typeof groups)[number] | undefined
}

export function serversSearch(search: Record<string, unknown>): ServersSearch {
  const status = groups.find((group) => group === search.status)
  return { ...listSearch(search), ...(status ? { status } : {}) }
}

/** What the address of the form says, so that links from elsewhere can fill it in. */
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

/** What the form chooses from, in the order of its sections. */
export function newServerData(api: Api) {
  return [
    api.list('server_types_list', {}),
    api.list('images_list', { query: { include_deprecated: true } }),
    api.list('locations_list', {}),
    api.query('pricing_get', {}),
    api.list('ssh_keys_list', {}),
    api.list('firewalls_list', {}),
    api.list('networks_list', {}),
    api.list('placement_groups_list', {}),
    api.list('servers_list', {}),
  ] as const
}
