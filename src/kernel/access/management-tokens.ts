/** Management tokens: what the operator's automation uses. They belong to the installation and to no Project. */
import { noteTouched } from '../audit/note.ts'
import type { Database, Queries, Transaction } from '../data/db.ts'
import { drawId } from '../data/db.ts'
import { parseId } from '../ids.ts'
import type { Identity } from './principal.ts'
import { generateToken, hashToken, isTokenShaped, tailOf } from './token-text.ts'

interface ManagementTokenRow {
  readonly id: number
  readonly name: string
  readonly hash: string
  readonly tail: string
  readonly created: string
  /** The expiry in ms since the epoch; null for never. */
  readonly expires: number | null
  readonly last_used: number | null
  /** The token that it replaces, which stays until it is revoked. */
  readonly rotates: number | null
}

declare module '../data/db.ts' {
  interface Tables {
    management_token: ManagementTokenRow
  }
}

interface NewManagementToken {
  readonly name: string
  readonly created: string
  /** Expiry in ms since the epoch. */
  readonly expires?: number | null
  readonly rotates?: number | null
}

/** Stores a management token, whose text cannot be read again later. */
export async function createManagementToken(
  tx: Transaction,
  { name, created, expires = null, rotates = null }: NewManagementToken,
): Promise<{ id: number; token: string }> {
  const token = generateToken('management')
  const id = await drawId(tx)
  const row = { id, name, hash: hashToken(token), tail: tailOf(token), created, expires, rotates }
  await tx.query
    .insertInto('management_token')
    .values({ ...row, last_used: null })
    .execute()
  noteTouched(tx, id)
  return { id, token }
}

/** Lets the tokens of one installation work in the database of another one, too. */
export async function keepManagementTokens(db: Database, from: Queries): Promise<void> {
  const all = await from.selectFrom('management_token').selectAll().execute()
  await db.transact(async (tx) => {
    const known = new Set(
      (await tx.query.selectFrom('management_token').select('hash').execute()).map(({ hash }) => hash),
    )
    for (const row of all.filter(({ hash }) => !known.has(hash))) {
      const own = { ...row, id: await drawId(tx), rotates: null }
      await tx.query.insertInto('management_token').values(own).execute()
    }
  })
}

export type ListedManagementToken = Omit<ManagementTokenRow, 'hash'>

export async function listManagementTokens(query: Queries): Promise<ListedManagementToken[]> {
  return query
    .selectFrom('management_token')
    .select(['id', 'name', 'tail', 'created', 'expires', 'last_used', 'rotates'])
    .orderBy('id')
    .execute()
}

/** Revokes a management token by its id or its text; undefined when it does not exist. Servers notice within 5 s. */
export async function revokeManagementToken(
  tx: Transaction,
  idOrToken: string,
): Promise<Pick<ManagementTokenRow, 'id'> | undefined> {
  const statement = tx.query.deleteFrom('management_token').returning('id')
  return isTokenShaped(idOrToken)
    ? statement.where('hash', '=', hashToken(idOrToken)).executeTakeFirst()
    : statement.where('id', '=', parseId(idOrToken) ?? 0).executeTakeFirst()
}

/** The names of management tokens that still exist, by id; with `nowMs` only of those that still work then. */
export async function managementTokenNames(
  query: Queries,
  ids: readonly number[],
  nowMs?: number,
): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await query
    .selectFrom('management_token')
    .select(['id', 'name', 'expires'])
    .where('id', 'in', ids)
    .execute()
  const working = rows.filter(({ expires }) => nowMs === undefined || expires === null || expires > nowMs)
  return new Map(working.map(({ id, name }) => [id, name]))
}

/** Finds the identity of a management token; undefined when it does not exist. */
export async function findManagementToken(query: Queries, token: string): Promise<Identity | undefined> {
  const row = await query
    .selectFrom('management_token')
    .select(['id', 'name', 'expires'])
    .where('hash', '=', hashToken(token))
    .executeTakeFirst()
  return (
    row && {
      actor: { kind: 'management', id: row.id, name: row.name },
      roles: new Map(),
      isOperator: true,
      elevatedUntil: 0,
      bucket: `management:${row.id}`,
      ...(row.expires === null ? {} : { expires: row.expires }),
    }
  )
}
