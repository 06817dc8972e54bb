/** What the console service asks: it knows sessions by their tokens, and servers by their ids, of all Projects. */
import type { Asker } from '../../../kernel/access/principal.ts'
import type { Queries, Transaction } from '../../../kernel/data/db.ts'
import { acrossProjects } from '../../../kernel/data/scoped.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import { sessionTokenHash } from './store.ts'

/** A session that somebody opens now. */
export interface OpenedSession {
  readonly id: number
  readonly scope: ProjectScope
  readonly serverId: number
  /** Sealed. */
  readonly password: string
  readonly asker: Asker
}

/** Takes the session with this token, which nobody can take a second time; undefined when it is unknown or has expired. */
export async function takeSession(tx: Transaction, token: string, now: string): Promise<OpenedSession | undefined> {
  const row = await acrossProjects(tx.query)
    .deleteFrom('console_session')
    .where('token_hash', '=', sessionTokenHash(token))
    .returningAll()
    .executeTakeFirst()
  if (!row || row.expires <= now || row.asker === null) return undefined
  const { id, project_id: projectId, server_id: serverId, password, asker } = row
  return { id, scope: { projectId }, serverId, password, asker: JSON.parse(asker) as Asker }
}

/** Forgets the sessions of all Projects that nobody opened in time. */
export async function forgetExpired({ query }: Transaction, now: string): Promise<void> {
  await acrossProjects(query).deleteFrom('console_session').where('expires', '<=', now).execute()
}

/** What of some servers is in force, by id; those that are gone are missing. */
export async function serversInForce(
  query: Queries,
  ids: readonly number[],
): Promise<ReadonlyMap<number, { isOn: boolean; generation: number }>> {
  const rows = await acrossProjects(query)
    .selectFrom('server')
    .innerJoin('server_state', 'server_state.id', 'server.id')
    .select(['server.id', 'server.power_in_force', 'server_state.generation_in_force'])
    .where('server.id', 'in', ids)
    .execute()
  return new Map(
    rows.map(({ id, power_in_force, generation_in_force: generation }) => [
      id,
      { isOn: power_in_force === 'on', generation },
    ]),
  )
}
