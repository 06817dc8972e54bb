/** The names of the resources of a feed, which itself tells only their ids. */
import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type Api, type ReplyKey, useApi } from '../../api/api.ts'
import { nameIn } from '../../api/known-names.ts'
import { typeOf } from '../../api/operations.ts'
import { type Family, familyOfList, familyOfType } from '../../families.ts'

/** The name of a resource by its type and id; undefined when it is not known, as of what was deleted. */
export type NameOf = (type: string, id: number) => string | undefined

interface Named {
  readonly id: number
  readonly name?: string | null
}

/** The newest resources of a family, which a feed is mostly about. */
function newest(api: Api, family: Family) {
  return { ...api.query(`${family}_list`, { query: { sort: 'id:desc', per_page: 50 } } as never), retry: false }
}

/** `types` are those that the feed shows. What other pages have loaded tells names, too. */
export function useNames(types: readonly string[]): NameOf {
  const api = useApi()
  const cache = useQueryClient()
  const asked = useQueries({
    queries: types.map(familyOfType).flatMap((family) => (family ? [newest(api, family)] : [])),
  })
  const known = asked.map(({ dataUpdatedAt }) => dataUpdatedAt).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is in the cache changes with what is known
  return useMemo(() => {
    const names = new Map<string, string>()
    for (const { queryKey, state } of cache.getQueryCache().getAll()) {
      const [owner, operation] = queryKey as unknown as ReplyKey
      const family = familyOfList(operation)
      if (owner !== api.project || !family) continue
      for (const one of rowsOf(state.data)) {
        const name = nameIn(one)
        if (name) names.set(`${typeOf(family)} ${one.id}`, name)
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
