/** Statements on people. */
import { noteTouched } from '../kernel/audit/note.ts'
import { type Database, drawId, type Queries, type Transaction } from '../kernel/data/db.ts'
import { databaseFailure } from '../kernel/data/dialect.ts'
import { invalidInput, notUnique } from '../kernel/errors.ts'
import { plainAddress } from '../kernel/mail/address.ts'
import { timestamp } from '../kernel/process/clock.ts'
import type { InstallationRole, PersonRow } from './tables.ts'

/** The form in which addresses are stored and compared. Errors: `invalid_input`. */
export function addressIn(email: string): string {
  const address = plainAddress(email)
  if (address === undefined) throw invalidInput([{ field: 'email', message: 'must be one plain address' }])
  return address
}

export interface NewPerson {
  /** Drawn before, if something was made for it. */
  readonly id?: number
  readonly email: string
  readonly name: string
  readonly installationRole?: InstallationRole
  /** True when the address is known to be theirs. */
  readonly isVerified?: boolean
}

/** Creates a person without credentials. Errors: `invalid_input`; `uniqueness_error` when the address is taken. */
export async function createPerson(tx: Transaction, given: NewPerson): Promise<PersonRow> {
  const email = addressIn(given.email)
  const row: PersonRow = {
    id: given.id ?? (await drawId(tx)),
    email,
    name: given.name.trim() || email,
    language: null,
    theme: 'system',
    installation_role: given.installationRole ?? 'none',
    created: timestamp(tx.now),
    disabled: null,
    verified: given.isVerified ? timestamp(tx.now) : null,
  }
  try {
    await tx.query.insertInto('person').values(row).execute()
  } catch (error) {
    if (databaseFailure(error)?.kind !== 'unique') throw error
    throw notUnique('email', `a person with the address ${email} exists already`)
  }
  noteTouched(tx, row.id)
  return row
}

export async function personById(query: Queries, id: number): Promise<PersonRow | undefined> {
  return query.selectFrom('person').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function personByEmail(query: Queries, email: string): Promise<PersonRow | undefined> {
  const address = plainAddress(email)
  if (address === undefined) return undefined
  return query.selectFrom('person').selectAll().where('email', '=', address).executeTakeFirst()
}

export async function peopleByIds(query: Queries, ids: readonly number[]): Promise<Map<number, PersonRow>> {
  if (ids.length === 0) return new Map()
  const rows = await query.selectFrom('person').selectAll().where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

export async function listPeople(query: Queries): Promise<PersonRow[]> {
  return query.selectFrom('person').selectAll().orderBy('id').execute()
}

/** Tells whether anybody administers the installation, disabled or not. */
export async function hasAdmin(query: Queries): Promise<boolean> {
  const row = await query.selectFrom('person').select('id').where('installation_role', '=', 'admin').executeTakeFirst()
  return row !== undefined
}

/** Tells whether somebody else than `id` can administer the installation. */
export async function hasOtherAdmin(query: Queries, id: number): Promise<boolean> {
  const row = await query
    .selectFrom('person')
    .select('id')
    .where('installation_role', '=', 'admin')
    .where('disabled', 'is', null)
    .where('id', '<>', id)
    .executeTakeFirst()
  return row !== undefined
}

export type PersonChange = Partial<
  Pick<PersonRow, 'name' | 'language' | 'theme' | 'installation_role' | 'disabled' | 'email'>
>

/** Changes a person; undefined when there is none. */
export async function updatePerson(tx: Transaction, id: number, change: PersonChange): Promise<PersonRow | undefined> {
  if (Object.keys(change).length > 0) {
    await tx.query.updateTable('person').set(change).where('id', '=', id).execute()
  }
  return personById(tx.query, id)
}

/** Notes since when it is known whose the address of a person is, with other changes; false when that was known before. */
export async function noteVerified(
  tx: Transaction,
  id: number,
  change: Pick<PersonChange, 'installation_role'>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx.query
    .updateTable('person')
    .set({ ...change, verified: timestamp(tx.now) })
    .where('id', '=', id)
    .where('verified', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Serializes what depends on who administers the installation. */
export async function lockSetup(tx: Transaction): Promise<void> {
  await tx.dialect.lockKeys(['setup admin'])?.execute(tx.query)
}

/** Serializes changes of the credentials of one person. */
export async function lockPerson(tx: Transaction, id: number): Promise<void> {
  await tx.dialect.lockKeys([`person ${id}`])?.execute(tx.query)
}

/** The person with an address, as commands name people. */
export function findPerson(db: Database, email: string): Promise<PersonRow | undefined> {
  return personByEmail(db.query, email)
}
