/**
 * Reads again what has changed. Of long lists only the entries that an event names are read, one by one: the whole list
 * would be read by every tab with every change.
 */
import type { QueryClient } from '@tanstack/react-query'
import { outdate, type ReplyKey } from './api.ts'
import { send } from './client.ts'
import { toFailure } from './failure.ts'
import { isOperation, type OperationId, operationOf } from './operations.ts'

/** Shorter lists are read as a whole. */
const fewEntries = 50
/** Above this number of changes, the whole list is read. */
const mostIds = 20

interface Entry {
  readonly id: number
}

/** Returns whether a reply is so long that it is not read again without need. */
function isLong(data: unknown): data is readonly Entry[] {
  return Array.isArray(data) && data.length > fewEntries
}

/** `changes` are the ids of what has changed, by family. */
export async function refresh(
  cache: QueryClient,
  project: number,
  changes: ReadonlyMap<string, ReadonlySet<number>>,
): Promise<void> {
  await Promise.all(
    [...changes].map(async ([family, ids]) => {
      const list = longList(cache, project, family)
      const read = `${family}_get`
      const isPatched = list && ids.size > 0 && ids.size <= mostIds && isOperation(read)
      if (isPatched) await patch(cache, list, { project, read, ids })
      await outdate(cache, project, [family], isPatched ? list : undefined)
    }),
  )
}

/** The key of the whole list of a family, if it is here and long. */
function longList(cache: QueryClient, project: number, family: string): ReplyKey | undefined {
  const found = cache.getQueryCache().findAll({
    predicate: ({ queryKey: [owner, operation], state }) =>
      owner === project && operation === `${family}_list` && isLong(state.data),
  })
  return found.length === 1 ? (found[0]!.queryKey as ReplyKey) : undefined
}

interface Changed {
  readonly project: number
  readonly read: OperationId
  readonly ids: ReadonlySet<number>
}

async function patch(cache: QueryClient, key: ReplyKey, { project, read, ids }: Changed): Promise<void> {
  const [param] = /(?<=\{)\w+(?=\}$)/.exec(operationOf(read).path) ?? ['id']
  const entries = await Promise.all(
    [...ids].map((id) => send(project, { operation: read, params: { [param]: id } }).then(entryOf, missing)),
  )
  const byId = new Map([...ids].map((id, index) => [id, entries[index]]))
  cache.setQueryData<readonly Entry[]>(key, (list = []) => {
    const known = new Set(list.map(({ id }) => id))
    const kept = list.flatMap((one) => (byId.has(one.id) ? (byId.get(one.id) ?? []) : one))
    return [...kept, ...entries.filter((one) => one !== undefined && !known.has(one.id))] as readonly Entry[]
  })
}

function entryOf(reply: unknown): Entry {
  return Object.values(reply as object)[0] as Entry
}

/** Returns nothing for what is gone, so that it leaves the list. Errors: all others. */
function missing(cause: unknown): undefined {
  if (toFailure(cause).status !== 404) throw cause
}
