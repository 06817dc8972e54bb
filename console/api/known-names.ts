/** The names of resources by their ids, as far as replies have told them; nothing is asked for it. */
import type { QueryClient } from '@tanstack/react-query'
import type { ReplyKey } from './api.ts'

export interface Named {
  readonly id: number
  readonly name?: string | null
  /** Stands for the name of a snapshot. */
  readonly description?: string | null
}

interface Row {
  readonly id?: number
  readonly name?: string | null
}

export function nameIn({ name, description }: Named): string {
  return name || description || ''
}

/** Undefined while nothing has told of it. */
export function nameOfId(cache: QueryClient, id: number): string | undefined {
  for (const { queryKey, state } of cache.getQueryCache().getAll()) {
    const [, operation] = queryKey as unknown as ReplyKey
    if (!/_(list|get)$/.test(String(operation))) continue
    const found = rowsIn(state.data).find((row) => row.id === id)
    if (found) return nameIn({ ...found, id }) || undefined
  }
  return undefined
}

/** The resources of a reply: a whole list, a page of one, or one resource. */
function rowsIn(data: unknown): readonly Row[] {
  const parts = Array.isArray(data) ? data : Object.values(data ?? {}).flat()
  return parts.filter((part): part is Row => typeof part === 'object' && part !== null)
}
