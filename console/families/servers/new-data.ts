import type { QueryClient } from '@tanstack/react-query'
import type { Api } from '../../api/api.ts'

/** Lists what the form chooses from, in the order of its sections. */
export function newServerData(api: Api) {
  return [
    api.list('server_types_list', {}),
    api.list('images_list', { query: { include_deprecated: true } }),
    api.list('locations_list', {}),
    api.query('pricing_get', {}),
    api.list('ssh_keys_list', {}),
    api.list('volumes_list', {}),
    api.list('firewalls_list', {}),
    api.list('networks_list', {}),
    api.list('placement_groups_list', {}),
    api.list('servers_list', {}),
  ] as const
}

export function loadNewServer(cache: QueryClient, api: Api): Promise<unknown> {
  return Promise.all(newServerData(api).map((one) => cache.ensureQueryData(one as never)))
}
