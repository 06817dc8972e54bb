/** The background job that deletes old entries of the audit log. */
import { sql } from 'kysely'
import type { Database, Queries, Transaction } from '../data/db.ts'
import { acrossProjects } from '../data/scoped.ts'
import { type Clock, type ClockEvent, timestamp } from '../process/clock.ts'
import type { Again } from '../process/jobs.ts'

const removedAtOnce = 500
const stepsAtOnce = 40
const dayMs = 24 * 3_600_000

/** The retention of entries unless the operator says otherwise, in days. */
export const defaultRetentionDays = 90

/**
 * Deletes a batch of entries older than `days`, in transactions short enough not to block others. Says `again` when there
 * may be more.
 */
export async function removeOldEntries(db: Database, clock: Clock, days: number): Promise<Again> {
  const before = timestamp(clock.now() - days * dayMs)
  for (let step = 0; step < stepsAtOnce; step++)
    if (!(await db.transact((tx) => removeSome(tx, before)))) return undefined
  return 'again'
}

/** The next times at which entries are older than `days`, and go. Their ids are in the order of time. */
export async function entryEnds(query: Queries, days: number, afterMs: number, limit: number): Promise<ClockEvent[]> {
  const keptMs = days * dayMs
  const rows = await acrossProjects(query)
    .selectFrom('audit')
    .select(['id', 'time', 'project_id'])
    .where('time', '>', timestamp(afterMs - keptMs))
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id, time, project_id: projectId }) => ({
    atMs: Date.parse(time) + keptMs,
    event: 'audit_entry_ends',
    subject: { projectId, type: 'audit', id },
  }))
}

/** Deletes old ones among the first entries. Returns whether there may be more. */
async function removeSome(tx: Transaction, before: string): Promise<boolean> {
  const { rows } = await sql<{ id: number; time: string }>`
    select id, time from audit order by id limit ${removedAtOnce + 1} ${tx.dialect.lockRows('skip')}
  `.execute(tx.query)
  const kept = await startOfNewestDay(tx)
  // The newest entry stays: SQLite counts ids on from it.
  const old = rows.slice(0, -1).filter(({ time }) => time < before && time < kept)
  if (old.length === 0) return false
  const ids = old.map(({ id }) => id)
  await acrossProjects(tx.query).deleteFrom('audit').where('id', 'in', ids).execute()
  return old.length === removedAtOnce
}

/** A day before the newest entry: from then on the database deletes none (`create retention`). */
async function startOfNewestDay(tx: Transaction): Promise<string> {
  const { rows } = await sql<{ time: string }>`select time from audit order by id desc limit 1`.execute(tx.query)
  const newest = rows[0]?.time
  return newest === undefined ? '' : timestamp(Date.parse(newest) - dayMs)
}
