/** Statements on sessions, and on those who have only shown their password so far. */
import { drawId, type Queries, type Transaction } from '../../kernel/data/db.ts'
import type { SessionRow, SignInRow } from '../tables.ts'

export async function insertSession(tx: Transaction, row: Omit<SessionRow, 'id'>): Promise<SessionRow> {
  const session = { id: await drawId(tx), ...row }
  await tx.query.insertInto('session').values(session).execute()
  return session
}

export async function sessionByHash(query: Queries, hash: string): Promise<SessionRow | undefined> {
  return query.selectFrom('session').selectAll().where('hash', '=', hash).executeTakeFirst()
}

export async function sessionById(query: Queries, id: number): Promise<SessionRow | undefined> {
  return query.selectFrom('session').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function sessionsOf(query: Queries, personId: number, nowMs: number): Promise<SessionRow[]> {
  return query
    .selectFrom('session')
    .selectAll()
    .where('person_id', '=', personId)
    .where('ends', '>', nowMs)
    .orderBy('id', 'desc')
    .execute()
}

/** Returns when each of some people was last seen, in milliseconds since the epoch. */
export async function lastSeenOf(query: Queries, personIds: readonly number[]): Promise<Map<number, number>> {
  if (personIds.length === 0) return new Map()
  const rows = await query
    .selectFrom('session')
    .select(({ fn }) => ['person_id', fn.max('last_seen').as('seen')])
    .where('person_id', 'in', personIds)
    .groupBy('person_id')
    .execute()
  return new Map(rows.map(({ person_id, seen }) => [person_id!, Number(seen)]))
}

/** Counts the sessions that have not ended, and those of them that came with API tokens. */
export async function countSessions(query: Queries, nowMs: number): Promise<{ all: number; ofTokens: number }> {
  const row = await query
    .selectFrom('session')
    .select(({ fn }) => [fn.countAll().as('all'), fn.count('token_id').as('of_tokens')])
    .where('ends', '>', nowMs)
    .executeTakeFirstOrThrow()
  return { all: Number(row.all), ofTokens: Number(row.of_tokens) }
}

export async function touchSession(tx: Transaction, id: number, nowMs: number): Promise<void> {
  await tx.query.updateTable('session').set({ last_seen: nowMs }).where('id', '=', id).execute()
}

/** Gives a session another secret; false when it is gone, or has another secret already. */
export async function rekeySession(
  tx: Transaction,
  { id, hash }: Pick<SessionRow, 'id' | 'hash'>,
  change: Pick<SessionRow, 'hash'> & Partial<Pick<SessionRow, 'elevated_until'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx.query
    .updateTable('session')
    .set(change)
    .where('id', '=', id)
    .where('hash', '=', hash)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function deleteSessionByHash(tx: Transaction, hash: string): Promise<void> {
  await tx.query.deleteFrom('session').where('hash', '=', hash).execute()
}

/** Ends one session of a person; false when there is none. */
export async function deleteSession(tx: Transaction, personId: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.query
    .deleteFrom('session')
    .where('person_id', '=', personId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Ends all sessions of a person but one. */
export async function deleteSessionsBut(tx: Transaction, personId: number, keptId: number): Promise<void> {
  await tx.query.deleteFrom('session').where('person_id', '=', personId).where('id', '<>', keptId).execute()
}

export async function insertSignIn(tx: Transaction, row: Omit<SignInRow, 'id'>): Promise<void> {
  await tx.query
    .insertInto('sign_in')
    .values({ id: await drawId(tx), ...row })
    .execute()
}

export async function signInByHash(query: Queries, hash: string, nowMs: number): Promise<SignInRow | undefined> {
  return query
    .selectFrom('sign_in')
    .selectAll()
    .where('hash', '=', hash)
    .where('expires', '>', nowMs)
    .executeTakeFirst()
}

/** Ends a half-finished sign-in; false when it has ended before. */
export async function deleteSignIn(tx: Transaction, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.query.deleteFrom('sign_in').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

export async function deleteSignInsOf(tx: Transaction, personId: number): Promise<void> {
  await tx.query.deleteFrom('sign_in').where('person_id', '=', personId).execute()
}

/** Deletes what has ended. */
export async function forgetEnded(tx: Transaction, idleMs: number): Promise<void> {
  await tx.query.deleteFrom('sign_in').where('expires', '<', tx.now).execute()
  await tx.query
    .deleteFrom('session')
    .where(({ eb, or }) => or([eb('ends', '<', tx.now), eb('last_seen', '<', tx.now - idleMs)]))
    .execute()
}
