/**
 * Background jobs on the actions of all Projects: index ended actions, and delete actions too old for any list (spec:
 * Action history).
 */

import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database, Transaction } from '../data/db.ts'
import { acrossProjects } from '../data/scoped.ts'
import { onBehalfOf } from '../process/behalf.ts'
import type { Clock } from '../process/clock.ts'
import type { Again } from '../process/jobs.ts'
import type { ProjectId } from '../scope.ts'
import { entriesOf, fileActions, historyStart, toAction } from './history.ts'
import type { ActionRow } from './tables.ts'

const removedAtOnce = 50
/** The longest that a run takes, in milliseconds. Other jobs wait for it. */
const longestMs = 5_000
/** The pause after each transaction: so many times as long as that took, and at most so many milliseconds. */
const rest = { times: 9, mostMs: 100 }

/** Indexes all ended actions, in short transactions. */
export async function fileAllActions(db: Database): Promise<void> {
  const { rows } = await sql<{ projectId: ProjectId }>`
    select distinct project_id as "projectId" from action_unfiled
  `.execute(db.query)
  for (const scope of rows) await onBehalfOf(scope.projectId, () => fileActions(db, scope))
}

/**
 * Deletes actions that no list shows any more, in transactions short enough not to block others, and with pauses between
 * them that leave most of the time to requests. Says `again` when there may be more.
 */
export async function removeOldActions(db: Database, clock: Clock): Promise<Again> {
  const before = historyStart(clock.now())
  const end = performance.now() + longestMs
  for (let after = 0; performance.now() < end; ) {
    const begun = performance.now()
    const last = await db.transact((tx) => removeSome(tx, before, after))
    if (last === undefined) return undefined
    after = last
    await delay(Math.min((performance.now() - begun) * rest.times, rest.mostMs))
  }
  return 'again'
}

/**
 * Deletes old actions among the next few past an id. Returns the last id seen; undefined when no older actions follow.
 */
async function removeSome(tx: Transaction, before: string, after: number): Promise<number | undefined> {
  const { rows } = await sql<ActionRow>`
    select * from action where id > ${after} order by id limit ${removedAtOnce} ${tx.dialect.lockRows('skip')}
  `.execute(tx.query)
  // A running action is still needed, however old it is.
  const old = rows.filter(({ started, status }) => started < before && status !== 'running').map(toAction)
  if (old.length > 0) {
    // PostgreSQL takes every value of a `values` list for text unless it is cast.
    const number = (value: number) => sql`cast(${value} as bigint)`
    const keys = old.flatMap(entriesOf).map(({ project_id, type, resource_id, status, action_id }) => {
      return sql`(${number(project_id)}, ${type}, ${number(resource_id)}, ${status}, ${number(action_id)})`
    })
    await sql`
      delete from action_history
      where (project_id, type, resource_id, status, action_id) in (values ${sql.join(keys)})
    `.execute(tx.query)
    const ids = old.map(({ id }) => id)
    await acrossProjects(tx.query).deleteFrom('action_unfiled').where('action_id', 'in', ids).execute()
    await acrossProjects(tx.query).deleteFrom('action').where('id', 'in', ids).execute()
  }
  const last = rows.at(-1)
  return last && last.started < before ? last.id : undefined
}
