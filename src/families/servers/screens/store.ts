/** Console sessions in the database. */
import { hash, randomBytes } from 'node:crypto'
import type { Queries, Transaction } from '../../../kernel/data/db.ts'
import { scoped } from '../../../kernel/data/scoped.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { SecretPlace } from '../../../kernel/secrets/secrets.ts'
import { type ConsoleSessionRow, consolePasswords } from './tables.ts'

/** A token of 256 random bits, which needs no slow hash. */
export const makeSessionToken = () => randomBytes(32).toString('base64url')

export const sessionTokenHash = (token: string) => hash('sha256', token)

export function passwordPlace(id: number): SecretPlace {
  return { ...consolePasswords, id }
}

export async function insertSession(
  tx: Transaction,
  scope: ProjectScope,
  row: Omit<ConsoleSessionRow, 'project_id'>,
): Promise<void> {
  await scoped(tx.query, scope).insertInto('console_session', [row]).execute()
}

/** Forgets the sessions of a server that nobody has opened. */
export async function forgetSessions(query: Queries, scope: ProjectScope, serverId: number): Promise<void> {
  await scoped(query, scope).deleteFrom('console_session').where('server_id', '=', serverId).execute()
}
