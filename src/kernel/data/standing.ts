/** What a database server tells of itself and of who is connected to it. */
import { sql } from 'kysely'
import type { Database } from './db.ts'

export interface Standing {
  /** Such as `16.4`. */
  readonly version: string
  readonly isReplica: boolean
  readonly connections: number
  readonly most: number
}

/** Undefined for a database in this process. */
export async function standingOf({ dialect, query }: Database): Promise<Standing | undefined> {
  if (!dialect.shared) return undefined
  const { rows } = await sql<{ version: string; replica: boolean; connections: number; most: number }>`
    select current_setting('server_version') as version, pg_is_in_recovery() as replica,
      (select count(*) from pg_stat_activity where backend_type = 'client backend') as connections,
      current_setting('max_connections')::integer as most`.execute(query)
  const { version, replica, connections, most } = rows[0]!
  return { version, isReplica: replica, connections: Number(connections), most: Number(most) }
}

/** A process that is connected to the same database. */
export interface ConnectedProcess {
  /** The name that `processName` gives. */
  readonly name: string
  readonly connections: number
  /** The start of its oldest connection, in milliseconds since the epoch. */
  readonly since: number
}

/** Connections of servers are called so, followed by the name of their process. */
export const servingPrefix = 'wolke serve '

/** The servers that are connected to the database now; empty where only one process can be. */
export async function connectedProcesses({ dialect, query }: Database): Promise<ConnectedProcess[]> {
  if (!dialect.shared) return []
  const { rows } = await sql<{ name: string; connections: number; since: number }>`
    select application_name as name, count(*) as connections,
      (extract(epoch from min(backend_start)) * 1000)::bigint as since
    from pg_stat_activity
    where datname = current_database() and application_name like ${`${servingPrefix}%`}
    group by application_name order by application_name`.execute(query)
  return rows.map(({ name, connections, since }) => ({
    name: name.slice(servingPrefix.length),
    connections: Number(connections),
    since: Number(since),
  }))
}
