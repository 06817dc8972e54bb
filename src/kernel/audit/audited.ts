/**
 * A database whose transactions write the audit log: the entry of a change is part of the transaction that makes the
 * change, so neither exists without the other (docs/adr/0021-audit-log-and-events.md).
 */
import type { Database, Transaction } from '../data/db.ts'
import { noteTaken } from '../process/behalf.ts'
import { append, type Entry } from './entries.ts'
import type { Note } from './note.ts'

/**
 * Wraps a database so that the first transaction of a request that changes something also writes the request's entry.
 * Transactions that mean nothing without a later one (`isDurable: false`) do not, nor do those whose work returns a
 * symbol, which says that nothing was changed.
 */
export function audited(db: Database): Database {
  return {
    dialect: db.dialect,
    location: db.location,
    get query() {
      return db.query
    },
    transact(work, options) {
      // Taken here, because the work may run in the context of another caller.
      const note = noteTaken()
      if (note?.state !== 'open' || options?.isDurable === false) return db.transact(work, options)
      return transactWith(note, db, work, options)
    },
    listen: (topic, listener) => db.listen(topic, listener),
    onTrouble: (listener) => db.onTrouble(listener),
    close: () => db.close(),
  }
}

async function transactWith<T>(
  note: Note,
  db: Database,
  work: (tx: Transaction) => Promise<T>,
  options: Parameters<Database['transact']>[1],
): Promise<T> {
  note.state = 'claimed'
  let isWritten = false
  try {
    return await db.transact(async (tx) => {
      isWritten = false
      note.started = []
      const result = await work({ ...tx, note })
      if (typeof result === 'symbol') return result
      const entry = entryOf(note, madeIn(result))
      await append(tx, entry)
      if (entry.projectId !== null) tx.signal('changes', String(entry.projectId))
      isWritten = true
      return result
    }, options)
  } catch (error) {
    isWritten = false
    throw error
  } finally {
    note.state = isWritten ? 'written' : 'open'
    if (!isWritten) note.started = []
  }
}

/** The entry of a request that did what it asked for; `made` are the ids of what it created. */
export function entryOf({ requested, project, found, started }: Note, made: readonly (number | string)[] = []): Entry {
  const { actor, scope, operation, family, subjects, status, correlationId, network } = requested
  const all = made.length + found.length === 0 ? subjects : [...new Set([...subjects, ...found, ...made])]
  return {
    actor,
    projectId: project?.id ?? scope?.projectId ?? null,
    projectName: project?.name,
    operation,
    family,
    subjects: all,
    actions: started,
    outcome: 'ok',
    status,
    correlationId,
    network,
  }
}

/** The ids of the resources in what a transaction returns; actions are none. */
function madeIn(result: unknown): readonly (number | string)[] {
  if (typeof result !== 'object' || result === null) return none
  if ('id' in result) return idsOf(result)
  const ids: (number | string)[] = []
  for (const part of Object.values(result)) {
    if (typeof part === 'object' && part !== null && 'id' in part) ids.push(...idsOf(part))
  }
  return ids
}

const none: readonly never[] = []

function idsOf(thing: { readonly id: unknown }): readonly (number | string)[] {
  const { id } = thing
  if ('command' in thing || (typeof id !== 'number' && typeof id !== 'string')) return none
  return [id]
}

/**
 * Says which Project the request under way is about, where its address does not, or before its name is gone. Within a
 * transaction `tx` has to be given, since its work may run in the context of another caller.
 */
export function noteProject(project: { readonly id: number; readonly name: string }, tx?: Transaction): void {
  const note = tx ? tx.note : noteTaken()
  if (note) note.project = { id: project.id, name: project.name }
}

/** Says the same of resources. Never pass a secret. */
export function noteSubjects(subjects: readonly (number | string)[], tx?: Transaction): void {
  const note = tx ? tx.note : noteTaken()
  note?.found.push(...subjects)
}
