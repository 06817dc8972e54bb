/** Statements on credentials. A credential that proves something once is deleted by the statement that accepts it. */
import { drawId, type Queries, type Transaction } from '../../kernel/data/db.ts'
import { databaseFailure } from '../../kernel/data/dialect.ts'
import { notUnique } from '../../kernel/errors.ts'
import { timestamp } from '../../kernel/process/clock.ts'
import type { CredentialKind, CredentialRow } from '../tables.ts'

export interface NewCredential {
  readonly personId: number
  readonly kind: CredentialKind
  readonly subject: string
  readonly data: string
  readonly counter?: number
  readonly name: string
}

/** Adds a credential. Errors: `uniqueness_error` when somebody has it already. */
export async function addCredential(tx: Transaction, given: NewCredential): Promise<CredentialRow> {
  const row: CredentialRow = {
    id: await drawId(tx),
    person_id: given.personId,
    kind: given.kind,
    subject: given.subject,
    data: given.data,
    counter: given.counter ?? 0,
    name: given.name,
    created: timestamp(tx.now),
    last_used: null,
  }
  try {
    await tx.query.insertInto('credential').values(row).execute()
  } catch (error) {
    if (databaseFailure(error)?.kind !== 'unique') throw error
    throw notUnique('credential', 'this credential is in use already')
  }
  return row
}

export async function credentialsOf(query: Queries, personId: number): Promise<CredentialRow[]> {
  return query.selectFrom('credential').selectAll().where('person_id', '=', personId).orderBy('id').execute()
}

export async function credentialOf(
  query: Queries,
  personId: number,
  kind: CredentialKind,
): Promise<CredentialRow | undefined> {
  return query
    .selectFrom('credential')
    .selectAll()
    .where('person_id', '=', personId)
    .where('kind', '=', kind)
    .orderBy('id')
    .executeTakeFirst()
}

export async function credentialBySubject(
  query: Queries,
  kind: CredentialKind,
  subject: string,
): Promise<CredentialRow | undefined> {
  return query
    .selectFrom('credential')
    .selectAll()
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .executeTakeFirst()
}

/** The kinds of credentials of people, by person. */
export async function kindsByPerson(query: Queries, ids: readonly number[]): Promise<Map<number, Set<CredentialKind>>> {
  const kinds = new Map<number, Set<CredentialKind>>(ids.map((id) => [id, new Set()]))
  if (ids.length === 0) return kinds
  const rows = await query
    .selectFrom('credential')
    .select(['person_id', 'kind'])
    .where('person_id', 'in', ids)
    .distinct()
    .execute()
  for (const { person_id, kind } of rows) kinds.get(person_id)?.add(kind)
  return kinds
}

/** Replaces the data of a credential, such as a hash with stronger parameters. */
export async function renewData(tx: Transaction, id: number, data: string): Promise<void> {
  await tx.query.updateTable('credential').set({ data }).where('id', '=', id).execute()
}

/** Notes that a credential was used; false when it was removed meanwhile. */
export async function noteUse(tx: Transaction, id: number): Promise<boolean> {
  const { numUpdatedRows } = await tx.query
    .updateTable('credential')
    .set({ last_used: timestamp(tx.now) })
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Notes a use and its counter; false when that counter or a later one was used before. */
export async function advanceCounter(tx: Transaction, id: number, counter: number): Promise<boolean> {
  const { numUpdatedRows } = await tx.query
    .updateTable('credential')
    .set({ counter, last_used: timestamp(tx.now) })
    .where('id', '=', id)
    .where('counter', '<', counter)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Spends a recovery code; false when the person has no such code. */
export async function spendRecoveryCode(tx: Transaction, personId: number, subject: string): Promise<boolean> {
  const { numDeletedRows } = await tx.query
    .deleteFrom('credential')
    .where('person_id', '=', personId)
    .where('kind', '=', 'recovery')
    .where('subject', '=', subject)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function renameCredential(tx: Transaction, personId: number, id: number, name: string): Promise<boolean> {
  const { numUpdatedRows } = await tx.query
    .updateTable('credential')
    .set({ name })
    .where('person_id', '=', personId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function removeCredential(tx: Transaction, personId: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.query
    .deleteFrom('credential')
    .where('person_id', '=', personId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Removes all credentials of a person but one. */
export async function removeCredentialsBut(tx: Transaction, personId: number, keptId: number): Promise<void> {
  await tx.query.deleteFrom('credential').where('person_id', '=', personId).where('id', '<>', keptId).execute()
}

export async function removeKind(tx: Transaction, personId: number, kind: CredentialKind): Promise<void> {
  await tx.query.deleteFrom('credential').where('person_id', '=', personId).where('kind', '=', kind).execute()
}

/** All passkeys, for what depends on the host that they were made for. */
export async function passkeyData(query: Queries): Promise<string[]> {
  const rows = await query.selectFrom('credential').select('data').where('kind', '=', 'passkey').execute()
  return rows.map(({ data }) => data)
}
