/** Transactions that wait for the test before they commit, so that others meet what they have done and not yet ended. */
import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { deleteProject, getProject } from '../../../src/kernel/access/projects.ts'
import { type Database, withTransact } from '../../../src/kernel/data/db.ts'
import type { ProjectId } from '../../../src/kernel/scope.ts'
import type { World } from '../harness.ts'
import { until } from './bare-database.ts'

/** A transaction that is held. */
export interface Held {
  /** Resolves when all has been done but the commit. */
  readonly done: Promise<void>
  release(): void
}

/** Wraps a database; `holdNext` holds the next transaction that comes to its commit. */
export function holdable(db: Database): { readonly db: Database; holdNext(): Held } {
  let next: { readonly done: () => void; readonly released: Promise<void> } | undefined
  const held = withTransact(db, (work, options) =>
    db.transact(async (tx) => {
      const result = await work(tx)
      const own = next
      next = undefined
      own?.done()
      await own?.released
      return result
    }, options),
  )
  return {
    db: held,
    holdNext() {
      const [done, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const own = { done: done.resolve, released: released.promise }
      next = own
      const release = () => {
        if (next === own) next = undefined
        released.resolve()
      }
      return { done: done.promise, release }
    },
  }
}

/** Deletes a Project as the API does, but for the commit, which waits for the function that is returned. */
export async function beginDeletion({ db }: World, projectId: ProjectId): Promise<() => Promise<void>> {
  const held = holdable(db)
  const { done, release } = held.holdNext()
  const deletion = deleteProject(held.db, await getProject(db.query, { projectId }))
  await done
  return async () => {
    release()
    assert.ok(await deletion)
  }
}

/**
 * Waits until a request is answered or, on PostgreSQL, waits for what another transaction has locked: on one file, one
 * writes after the other anyway.
 */
export async function untilMet({ db }: World, request: Promise<unknown>): Promise<void> {
  if (!db.dialect.shared) return
  let isAnswered = false
  const note = () => {
    isAnswered = true
  }
  request.then(note, note)
  await until(async () => isAnswered || (await isAnyWaiting(db)), 'the request is answered, or waits')
}

async function isAnyWaiting(db: Database): Promise<boolean> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*) as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'
  `.execute(db.query)
  return Number(rows[0]!.waiting) > 0
}
