/**
 * Secrets at rest, of Projects and of the installation itself. Each Project has its own key, which the database holds
 * only encrypted by the installation's key-encryption key: the database without that key reveals no secret, and
 * deleting a Project deletes its key. Only the component that needs a secret decrypts it.
 */

import { type Database, drawId, type Queries, type Transaction } from '../data/db.ts'
import { scoped } from '../data/scoped.ts'
import type { ProjectId, ProjectScope } from '../scope.ts'
import { decrypt, encrypt, type Keyring, kekOf, randomKey } from './kek.ts'

/** The row and column of a secret. */
export interface SecretPlace {
  readonly table: string
  readonly column: string
  readonly id: number
}

export interface ProjectKeyRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly kek_id: string
  readonly wrapped: string
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

/** Encrypts the key of a Project for storage, with the current key of the ring. */
export function wrapKey(ring: Keyring, row: Pick<ProjectKeyRow, 'id' | 'project_id'>, key: Buffer): ProjectKeyRow {
  const { id: kek_id, key: kek } = ring.current
  const { id, project_id } = row
  return { id, project_id, kek_id, wrapped: encrypt(kek, wrapPlace(row, kek_id), key) }
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

/** Encrypts a secret of the installation for storage, with the current key of the ring. */
export function sealForInstallation({ current }: Keyring, name: string, secret: string): InstallationSecretRow {
  return {
    name,
    kek_id: current.id,
    sealed: encrypt(current.key, installationPlace(name, current.id), Buffer.from(secret)),
  }
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
    const row = (await newestKey(tx.query, scope)) ?? (await this.#makeKey(tx, scope))
    const key = unwrapKey(this.#ring, row)
    return [version, row.id, encrypt(key, placeOf(place, scope, row.id), Buffer.from(secret))].join('.')
  }

  /** Decrypts a secret. Throws when it was not sealed for this place. */
  async open(query: Queries, scope: ProjectScope, place: SecretPlace, sealed: string): Promise<string> {
    const [form, keyId, text = ''] = sealed.split('.')
    if (form !== version) throw new Error('a secret has a form that this version does not know')
    const row = await keyById(query, scope, Number(keyId))
    if (!row) throw new Error('the key of a secret is gone')
    return decrypt(unwrapKey(this.#ring, row), placeOf(place, scope, row.id), text).toString()
  }

  /** The installation's secret with this name; the first caller creates it. */
  async ofInstallation(db: Database, name: string, make: () => Promise<string>): Promise<string> {
    const known = await installationSecret(db.query, name)
    if (known) return openForInstallation(this.#ring, known)
    const row = sealForInstallation(this.#ring, name, await make())
    const kept = await db.transact(async (tx) => {
      await tx.query
        .insertInto('installation_secret')
        .values(row)
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute()
      return installationSecret(tx.query, name)
    })
    return openForInstallation(this.#ring, kept!)
  }

  async #makeKey(tx: Transaction, scope: ProjectScope): Promise<ProjectKeyRow> {
    await tx.dialect.lockKeys([`secrets ${scope.projectId}`])?.execute(tx.query)
    // Another transaction may have created a key before it released the lock.
    const made = await newestKey(tx.query, scope)
    if (made) return made
    const row = wrapKey(this.#ring, { id: await drawId(tx), project_id: scope.projectId }, randomKey())
    await scoped(tx.query, scope).insertInto('project_key', [row]).execute()
    return row
  }
}

function installationSecret(query: Queries, name: string): Promise<InstallationSecretRow | undefined> {
  return query.selectFrom('installation_secret').selectAll().where('name', '=', name).executeTakeFirst()
}

function newestKey(query: Queries, scope: ProjectScope): Promise<ProjectKeyRow | undefined> {
  return scoped(query, scope).selectFrom('project_key').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirst()
}

function keyById(query: Queries, scope: ProjectScope, id: number): Promise<ProjectKeyRow | undefined> {
  return scoped(query, scope).selectFrom('project_key').selectAll().where('id', '=', id).executeTakeFirst()
}
