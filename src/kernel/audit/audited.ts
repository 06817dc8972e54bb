/**
 * A database whose transactions write the audit log: the entry of a change is part of the transaction that makes the
 * change, so neither exists without the other (docs/adr/0021-audit-log-and-events.md).
 */
import { type Database, type Transaction, withTransact } from '../data/db.ts'
import { noteTaken } from '../process/behalf.ts'
import { timestamp } from '../process/clock.ts'
import { append, type Entry } from './entries.ts'
import type { AuditActor, Note } from './note.ts'
import { isEntered } from './reading.ts'

/**
 * Wraps a database so that the first transaction of a request that changes something also writes the request's entry.
 * Transactions that mean nothing without a later one (`isDurable: false`) do not, nor do those whose work returns a
 * symbol, which says that nothing was changed.
 */
export function audited(db: Database): Database {
  return withTransact(db, (work, options) => {
    // Taken here, because the work may run in the context of another caller.
    const note = noteTaken()
    if (note?.state !== 'open' || options?.isDurable === false) return db.transact(work, options)
    return transactWith(note, db, work, options)
  })
}

async function transactWith<T>(
  note: Note,
  db: Database,
  work: (tx: Transaction) => Promise<T>,
  options: Parameters<Database['transact']>[1],
): Promise<T> {
  note.state = 'claimed'
  const { project, found } = note
  let isWritten = false
  try {
    return await db.transact(async (tx) => {
      isWritten = false
      forget(note)
      // A run before this one was rolled back, with what it made: nothing of it may be named.
      Object.assign(note, { project, found })
      const result = await work({ ...tx, note })
      if (typeof result === 'symbol') return result
      const entry = entryOf(note)
      await append(tx, entry)
      tx.provenBy?.((query) => isEntered(query, entry.correlationId, timestamp(tx.now)))
      if (entry.projectId !== null) tx.signal('changes', String(entry.projectId))
      isWritten = true
      return result
    }, options)
  } catch (error) {
    isWritten = false
    throw error
  } finally {
    note.state = isWritten ? 'written' : 'open'
    if (!isWritten) forget(note)
  }
}

/** Forgets what a transaction did that did not come to its end. */
function forget(note: Note): void {
  note.started = []
  note.touched = []
}

/** The entry of a request that did what it asked for. */
export function entryOf({ requested, project, found, started, touched }: Note): Entry {
  const { actor, scope, operation, family, subjects, status, correlationId, network } = requested
  const all = touched.length + found.length === 0 ? subjects : [...new Set([...subjects, ...found, ...touched])]
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
  if (note) note.found = [...note.found, ...subjects]
}

/**
 * Says that the request under way has done a part of something that has its entry when it is whole. To be called when nothing
 * can be refused any more: refused parts have entries.
 */
export function notePart(): void {
  const note = noteTaken()
  if (note?.state === 'open') note.state = 'closed'
}

/** The author of the request under way; undefined where none is noted. */
export function authorNoted(): AuditActor | undefined {
  return noteTaken()?.requested.actor
}
