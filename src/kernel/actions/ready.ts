/** Actions that are ready go to the worker of this process at once, or are announced to all workers. */
import type { Queries, Transaction } from '../data/db.ts'
import { preparedStatements } from '../data/prepared.ts'
import type { ProjectId, ProjectScope } from '../scope.ts'

/** An action that is being started, with the keys of its queues. */
interface Queued {
  readonly id: number
  readonly keys: readonly string[]
}

/** Actions that the worker of this process has from the start, and others that are to be announced. */
interface Ready {
  readonly taken: ReadonlySet<number>
  readonly left: readonly number[]
}

/** Those of some actions that may run once they are started. The end of the one before announces those behind others. */
export async function readyAmong(
  tx: Transaction,
  { projectId }: ProjectScope,
  started: readonly Queued[],
): Promise<Ready> {
  const first = firstInQueues(started)
  const places = tx.takers.actions?.placesFor(projectId) ?? 0
  if (places === 0) return { taken: new Set(), left: first.map(({ id }) => id) }
  const used = await usedAmong(
    tx.query,
    first.flatMap(({ keys }) => keys),
  )
  const free = first.flatMap(({ id, keys }) => (keys.some((key) => used.has(key)) ? [] : id))
  return { taken: new Set(free.slice(0, places)), left: free.slice(places) }
}

/** Those that are behind no other one of the list. */
function firstInQueues(started: readonly Queued[]): readonly Queued[] {
  const met = new Set<string>()
  return started.filter(({ keys }) => {
    const isFirst = !keys.some((key) => met.has(key))
    for (const key of keys) met.add(key)
    return isFirst
  })
}

/** The keys of queues that are not empty. */
async function usedAmong(query: Queries, keys: readonly string[]): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set()
  const rows = await queues(query, '', { keys }, ({ keys }) =>
    query.selectFrom('action_serial').select('serial_key').where('serial_key', 'in', keys),
  )
  return new Set(rows.map(({ serial_key }) => serial_key))
}

const queues = preparedStatements<{ readonly serial_key: string }>()

/** Hands on actions of a Project whose turn has come in their queues. */
export async function announce(tx: Transaction, projectId: ProjectId, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const left = (await tx.takers.actions?.take(tx, projectId, ids)) ?? ids
  for (const id of left) tx.signal('actions', String(id))
}
