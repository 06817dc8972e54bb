/** The names of the resources of a feed, which itself tells only their ids. */
import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type Api, type ReplyKey, useApi } from '../../api/api.ts'

/** The name of a resource by its type and id; undefined when it is not known, as of what was deleted. */
export type NameOf = (type: string, id: number) => string | undefined

const lists = {
  server: 'servers_list',
  firewall: 'firewalls_list',
  floating_ip: 'floating_ips_list',
  primary_ip: 'primary_ips_list',
  load_balancer: 'load_balancers_list',
  volume: 'volumes_list',
  network: 'networks_list',
  image: 'images_list',
  certificate: 'certificates_list',
  zone: 'zones_list',
  placement_group: 'placement_groups_list',
  ssh_key: 'ssh_keys_list',
} as const

type NamedType = keyof typeof lists

interface Named {
  readonly id: number
  readonly name?: string | null
  /** Snapshots have no name. */
  readonly description?: string | null
}

/** The newest resources of a type, which a feed is mostly about. */
function newest(api: Api, type: NamedType) {
  return { ...api.query(lists[type], { query: { sort: 'id:desc', per_page: 50 } } as never), retry: false }
}

/** `types` are those that the feed shows. What other pages have loaded tells names, too. */
export function useNames(types: readonly string[]): NameOf {
  const api = useApi()
  const cache = useQueryClient()
  const asked = useQueries({
    queries: types.filter((type): type is NamedType => type in lists).map((type) => newest(api, type)),
  })
  const known = asked.map(({ dataUpdatedAt }) => dataUpdatedAt).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is in the cache changes with what is known
  return useMemo(() => {
    const names = new Map<string, string>()
    for (const { queryKey, state } of cache.getQueryCache().getAll()) {
      const [owner, operation] = queryKey as unknown as ReplyKey
      const type = Object.entries(lists).find(([, list]) => list === operation)?.[0]
      if (owner !== api.project || !type) continue
      for (const { id, name, description } of rowsOf(state.data)) {
        const text = name || description
        if (text) names.set(`${type} ${id}`, text)
      }
    }
    return (type, id) => names.get(`${type} ${id}`)
  }, [cache, api.project, known])
}

/** The entries of a list, as it was read: all at once, or one page of it. */
function rowsOf(reply: unknown): readonly Named[] {
  if (Array.isArray(reply)) return reply
  return Object.values(reply ?? {}).find((part) => Array.isArray(part)) ?? []
}
