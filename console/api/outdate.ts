/**
 * The one way by which something becomes outdated, whoever tells of it: a form that was sent, an action that ended, or the
 * stream of events. Of long lists only the entries that are named are read again, one by one: the whole list would be read
 * by every tab with every change.
 */
import type { QueryClient } from '@tanstack/react-query'
import type { ReplyKey } from './api.ts'
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

/** The families of which something has changed, each with the ids of that where they are known. */
type Changes = Iterable<readonly [family: string, ids?: ReadonlySet<number>]>

/**
 * Marks replies about families as outdated, whatever they were asked, in a Project and in the installation, and reads again
 * those that are shown. Errors: of entries that cannot be read.
 */
export async function outdate(cache: QueryClient, project: number | undefined, changes: Changes): Promise<void> {
  await Promise.all(
    [...changes].map(async ([family, ids]) => {
      const list = ids && longList(cache, project, family)
      const read = `${family}_get`
      const isPatched = list && ids.size > 0 && ids.size <= mostIds && isOperation(read)
      if (isPatched) await patch(cache, list, { project, read, ids })
      await cache.invalidateQueries({
        predicate: ({ queryKey }) =>
          queryKey !== (isPatched && list) &&
          (queryKey[0] === project || queryKey[0] === undefined) &&
          String(queryKey[1]).startsWith(`${family}_`),
      })
    }),
  )
}

/** The same for everything, or for everything in a Project, when nobody knows what has changed. */
export async function outdateAll(cache: QueryClient, project?: number): Promise<void> {
  await cache.invalidateQueries(project === undefined ? {} : { queryKey: [project] })
}

/** The key of the whole list of a family, if it is here and long. */
function longList(cache: QueryClient, project: number | undefined, family: string): ReplyKey | undefined {
  const found = cache.getQueryCache().findAll({
    predicate: ({ queryKey: [owner, operation], state }) =>
      owner === project && operation === `${family}_list` && isLong(state.data),
  })
  return found.length === 1 ? (found[0]!.queryKey as ReplyKey) : undefined
}

interface Changed {
  readonly project: number | undefined
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
