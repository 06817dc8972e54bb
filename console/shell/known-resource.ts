/** The resource that a request is about, as replies have told of it; nothing is asked for it. */
import type { QueryClient } from '@tanstack/react-query'
import type { ReplyKey } from '../api/api.ts'
import { type AnyRequest, operationOf } from '../api/operations.ts'
import type { KnownResource } from '../commands/panel.ts'

/** Undefined for requests about no single resource, and while nothing is known of it. */
export function knownResource(
  cache: QueryClient,
  project: number | undefined,
  { operation, params = {} }: AnyRequest,
): KnownResource | undefined {
  // The path says what the id is of: a server is attached to a network below the servers.
  const { path, method } = operationOf(operation)
  const family = path.split('/')[1] ?? ''
  const asked = String(params.id ?? params.id_or_name ?? '')
  if (asked === '' || method === 'DELETE') return undefined
  for (const { queryKey, state } of cache.getQueryCache().getAll()) {
    const [owner, from] = queryKey as unknown as ReplyKey
    if (owner !== project || !String(from).startsWith(`${family}_`)) continue
    const rows = (
      Array.isArray(state.data) ? state.data : Object.values(state.data ?? {})
    ) as readonly (KnownResource | null)[]
    const found = /_(list|get)$/.test(from) && rows.find((one) => one && [String(one.id), one.name].includes(asked))
    if (found)
      return {
        family,
        id: found.id,
        ...(found.name ? { name: found.name } : {}),
        ...(found.type ? { type: found.type } : {}),
        ...(found.description ? { description: found.description } : {}),
      }
  }
  return undefined
}
