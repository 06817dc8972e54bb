/**
 * Secrets at rest, of Projects and of the installation itself. Each Project has its own key, which the database holds
 * only encrypted by the installation's key-encryption key: the database without that key reveals no secret, and
 * deleting a Project deletes its key. Only the component that needs a secret decrypts it.
 */

import { sql } from 'kysely'
import { type Database, drawId, type Queries, type Transaction } from '../data/db.ts'
import { scoped } from '../data/scoped.ts'
import { timestamp } from '../process/clock.ts'
import type { ProjectId, ProjectScope } from '../scope.ts'
import { decrypt, encrypt, type Kek, type Keyring, kekOf, randomKey } from './kek.ts'

/** A column of a table of Projects with secrets; each declares its own (platform.ts), so that keys can be replaced. */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  /** The column that identifies a row. */
  readonly key: string
}

/** The row and column of a secret. */
export interface SecretPlace extends SealedColumn {
  readonly id: number
}

export interface ProjectKeyRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly kek_id: string
  readonly wrapped: string
  /** Null for keys that are older than this column. */
  readonly created: string | null
  /** The time since which nothing is sealed with it; null for the key of its Project that is in use. */
  readonly retired: string | null
}

/** A secret of the installation itself. */
export interface InstallationSecretRow {
  readonly name: string
  readonly kek_id: string
  readonly sealed: string
}

declare module '../data/db.ts' {
  interface Tables {
    installation_secret: InstallationSecretRow
  }
  interface TenantTables {
    project_key: ProjectKeyRow
  }
}

/** The format version of sealed secrets: `VERSION.KEY ID.CIPHERTEXT`. */
const version = 's1'

function placeOf({ table, column, id }: SecretPlace, { projectId }: ProjectScope, keyId: number): string {
  return [table, column, projectId, id, keyId, version].join('|')
}

/** Encrypts the key of a Project for storage, with a key-encryption key. */
export function wrapKey(
  { id: kek_id, key: kek }: Kek,
  row: Pick<ProjectKeyRow, 'id' | 'project_id'>,
  key: Buffer,
): Pick<ProjectKeyRow, 'kek_id' | 'wrapped'> {
  return { kek_id, wrapped: encrypt(kek, wrapPlace(row, kek_id), key) }
}

/** Decrypts the key of a Project. Throws when no key of the ring fits. */
export function unwrapKey(ring: Keyring, row: ProjectKeyRow): Buffer {
  const kek = kekOf(ring, row.kek_id)
  if (!kek) throw new Error(`the key ${row.kek_id} is not at hand`)
  return decrypt(kek.key, wrapPlace(row, kek.id), row.wrapped)
}

function wrapPlace({ id, project_id }: Pick<ProjectKeyRow, 'id' | 'project_id'>, kekId: string): string {
  return ['project_key', 'wrapped', project_id, id, kekId, version].join('|')
}

/** Encrypts a secret of the installation for storage, with a key-encryption key. */
export function sealForInstallation({ id, key }: Kek, name: string, secret: string): InstallationSecretRow {
  return { name, kek_id: id, sealed: encrypt(key, installationPlace(name, id), Buffer.from(secret)) }
}

/** Decrypts a secret of the installation. Throws when no key of the ring fits. */
export function openForInstallation(ring: Keyring, { name, kek_id, sealed }: InstallationSecretRow): string {
  const kek = kekOf(ring, kek_id)
  if (!kek) throw new Error(`the key ${kek_id} is not at hand`)
  return decrypt(kek.key, installationPlace(name, kek_id), sealed).toString()
}

function installationPlace(name: string, kekId: string): string {
  return ['installation_secret', 'sealed', name, kekId, version].join('|')
}

/** Encrypts and decrypts the secrets of an installation; created by `unlock`. */
export class Secrets {
  readonly #ring: Keyring

  constructor(ring: Keyring) {
    this.#ring = ring
  }

  /** Its keys, for who encrypts a copy of the database with others. */
  get ring(): Keyring {
    return this.#ring
  }

  /** Encrypts a secret for its place. The first secret of a Project creates the Project's key. */
  async seal(tx: Transaction, scope: ProjectScope, place: SecretPlace, secret: string): Promise<string> {
    const row = (await keyInUse(tx, scope)) ?? (await this.#makeFirstKey(tx, scope))
    const key = unwrapKey(this.#ring, row)
    return [version, row.id, encrypt(key, placeOf(place, scope, row.id), Buffer.from(secret))].join('.')
  }

  /**
   * Decrypts a secret. One whose key is gone was sealed again with another key since it was read, and is read again. Throws
   * when it was not sealed for this place.
   */
  async open(query: Queries, scope: ProjectScope, place: SecretPlace, sealed: string): Promise<string> {
    const row = await keyOf(query, scope, sealed)
    if (row) return decrypt(unwrapKey(this.#ring, row), placeOf(place, scope, row.id), textIn(sealed)).toString()
    const now = await readSealed(query, scope, place)
    if (now === undefined || now === sealed) throw new Error('the key of a secret is gone')
    return this.open(query, scope, place, now)
  }

  /** The key-encryption key in use, held until the transaction ends. */
  holdKek(tx: Transaction): Promise<Kek> {
    return kekInUse(tx, this.#ring)
  }

  /** Replaces the key of a Project in a transaction that holds it and the other key; what it has sealed stays as it is. */
  async replaceKey(tx: Transaction, kek: Kek, { id, project_id }: Pick<ProjectKeyRow, 'id' | 'project_id'>) {
    const scope = { projectId: project_id }
    const retired = timestamp(tx.now)
    await scoped(tx.query, scope).updateTable('project_key').set({ retired }).where('id', '=', id).execute()
    await makeKey(tx, kek, scope)
  }

  /** The installation's secret with this name; the first caller creates it. */
  async ofInstallation(db: Database, name: string, make: () => Promise<string>): Promise<string> {
    const known = await installationSecret(db.query, name)
    if (known) return openForInstallation(this.#ring, known)
    const secret = await make()
    const kept = await db.transact(async (tx) => {
      const row = sealForInstallation(await kekInUse(tx, this.#ring), name, secret)
      await tx.query
        .insertInto('installation_secret')
        .values(row)
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute()
      return installationSecret(tx.query, name)
    })
    return openForInstallation(this.#ring, kept!)
  }

  async #makeFirstKey(tx: Transaction, scope: ProjectScope): Promise<ProjectKeyRow> {
    await tx.dialect.lockKeys([`secrets ${scope.projectId}`])?.execute(tx.query)
    // Another transaction may have created a key before it released the lock, or replaced the one that this one waited for.
    return (await keyInUse(tx, scope)) ?? (await makeKey(tx, await this.holdKek(tx), scope))
  }
}

async function makeKey(tx: Transaction, kek: Kek, { projectId }: ProjectScope): Promise<ProjectKeyRow> {
  const ids = { id: await drawId(tx), project_id: projectId }
  const row = { ...ids, ...wrapKey(kek, ids, randomKey()), created: timestamp(tx.now), retired: null }
  await scoped(tx.query, { projectId }).insertInto('project_key', [row]).execute()
  return row
}

/**
 * The key-encryption key with which all processes encrypt, held until the transaction ends. A process that has a newer one
 * uses that when all do, because the others could not decrypt. Throws when it is not at hand.
 */
async function kekInUse(tx: Transaction, ring: Keyring): Promise<Kek> {
  const canary = tx.query.selectFrom('key_canary').select('kek_id').modifyEnd(tx.dialect.lockRows('share'))
  const { kek_id } = await canary.executeTakeFirstOrThrow()
  const kek = kekOf(ring, kek_id)
  if (!kek) throw new Error(`the key ${kek_id} is not at hand`)
  return kek
}

function installationSecret(query: Queries, name: string): Promise<InstallationSecretRow | undefined> {
  return query.selectFrom('installation_secret').selectAll().where('name', '=', name).executeTakeFirst()
}

/** The key of a Project that seals, held until the transaction ends, so that it is not retired before what it sealed is seen. */
async function keyInUse(tx: Transaction, scope: ProjectScope): Promise<ProjectKeyRow | undefined> {
  const keys = scoped(tx.query, scope).selectFrom('project_key').selectAll().where('retired', 'is', null)
  const found = await keys.orderBy('id', 'desc').limit(1).executeTakeFirst()
  if (!found || !tx.dialect.shared) return found
  return keys.where('id', '=', found.id).modifyEnd(tx.dialect.lockRows('share')).executeTakeFirst()
}

/** The id of the key that sealed a secret. Throws for other texts. */
export function keyIdOf(sealed: string): number {
  const [form, keyId] = sealed.split('.')
  if (form !== version) throw new Error('a secret has a form that this version does not know')
  return Number(keyId)
}

const textIn = (sealed: string) => sealed.split('.')[2] ?? ''

function keyOf(query: Queries, scope: ProjectScope, sealed: string): Promise<ProjectKeyRow | undefined> {
  const keys = scoped(query, scope).selectFrom('project_key').selectAll()
  return keys.where('id', '=', keyIdOf(sealed)).executeTakeFirst()
}

/** A secret as it is sealed at present; undefined where there is none. */
async function readSealed(
  query: Queries,
  { projectId }: ProjectScope,
  place: SecretPlace,
): Promise<string | undefined> {
  const { rows } = await sql<{ sealed: string | null }>`
    select ${sql.ref(place.column)} as sealed from ${sql.table(place.table)}
    where project_id = ${projectId} and ${sql.ref(place.key)} = ${place.id}
  `.execute(query)
  return rows[0]?.sealed ?? undefined
}
