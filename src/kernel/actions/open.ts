/** What has not ended of the actions of all Projects, for whoever watches the installation. */
import { sql } from 'kysely'
import type { Database } from '../data/db.ts'
import { acrossProjects } from '../data/scoped.ts'

/** The number of actions of one command that are in a state. */
export interface OpenCount {
  readonly command: string
  /** Under a lease, until a time or another attempt, or for a worker. */
  readonly state: 'in_progress' | 'paused' | 'waiting'
  readonly actions: number
}

/** The number of actions that are counted at once, since SQLite does nothing else meanwhile. */
const step = 1_000

/** Counts the actions that have not ended, in steps. */
export async function countOpen({ query, dialect: { nowMs } }: Database): Promise<OpenCount[]> {
  const counts = new Map<string, OpenCount>()
  for (let after = 0; ; ) {
    const { rows } = await sql<OpenCount & { readonly last: number }>`
      with present as materialized (select ${nowMs} as now)
      select command, state, count(*) as actions, max(id) as last from (
        select id, command,
          case when lease_until > now then 'in_progress' when run_after > now then 'paused' else 'waiting' end as state
        from action, present where status = 'running' and id > ${after} order by id limit ${sql.lit(step)}
      ) as page group by command, state
    `.execute(query)
    let read = 0
    for (const { command, state, actions, last } of rows) {
      const key = `${command} ${state}`
      const before = counts.get(key)?.actions ?? 0
      counts.set(key, { command, state, actions: before + Number(actions) })
      read += Number(actions)
      after = Math.max(after, last)
    }
    if (read < step) return [...counts.values()]
  }
}

/** Returns when the oldest action started that has not ended; undefined without any. Ids grow with time. */
export async function oldestOpen({ query }: Database): Promise<string | undefined> {
  const row = await acrossProjects(query)
    .selectFrom('action')
    .select('started')
    .where('status', '=', 'running')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row?.started
}
