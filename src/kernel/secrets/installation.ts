/**
 * The key-encryption key of an installation: checks that it is the right one before anything is served, and replaces
 * it. A rotation may be interrupted anywhere and repeated: until it is complete both keys are needed, and a start
 * without one of them is refused.
 */

import { sql } from 'kysely'
import type { Database, Queries, Transaction } from '../data/db.ts'
import { acrossProjects } from '../data/scoped.ts'
import { decrypt, encrypt, type Keyring, kekOf } from './kek.ts'
import { openForInstallation, type ProjectKeyRow, Secrets, sealForInstallation, unwrapKey, wrapKey } from './secrets.ts'

interface KeyCanaryRow {
  readonly id: 1
  readonly kek_id: string
  readonly sealed: string
}

declare module '../data/db.ts' {
  interface Tables {
    key_canary: KeyCanaryRow
  }
}

/** The given keys are not those of this database. The message is one line for the operator. */
export class WrongKey extends Error {}

const canaryText = 'this key opens the secrets of this database'
const canaryPlace = 'key_canary|sealed|1'
const batch = 100

/** Ids of the key-encryption keys that are needed to decrypt everything in the database. */
export async function keksInUse(query: Queries): Promise<ReadonlySet<string>> {
  const canary = await query.selectFrom('key_canary').select('kek_id').execute()
  const keys = await acrossProjects(query).selectFrom('project_key').select('kek_id').distinct().execute()
  const own = await query.selectFrom('installation_secret').select('kek_id').distinct().execute()
  return new Set([...canary, ...keys, ...own].map((row) => row.kek_id))
}

/** The id of the key-encryption key in use, and those of others that are needed too. */
export async function keksOf(query: Queries): Promise<{ current: string | undefined; others: readonly string[] }> {
  const canary = await query.selectFrom('key_canary').select('kek_id').executeTakeFirst()
  const all = await keksInUse(query)
  return { current: canary?.kek_id, others: [...all].filter((id) => id !== canary?.kek_id) }
}

/** Checks the keys against the database. A database without keys adopts them. Errors: `WrongKey`. */
export async function unlock(db: Database, ring: Keyring): Promise<Secrets> {
  await db.transact((tx) => writeCanary(tx, ring))
  for (const id of await keksInUse(db.query)) {
    if (!kekOf(ring, id)) throw new WrongKey(`the secrets of this database need the key ${id}, which is not at hand`)
  }
  const canary = await db.query.selectFrom('key_canary').selectAll().executeTakeFirstOrThrow()
  if (!opensCanary(kekOf(ring, canary.kek_id)!.key, canary.sealed))
    throw new WrongKey('the key does not open the secrets of this database')
  return new Secrets(ring)
}

function opensCanary(key: Keyring['current']['key'], sealed: string): boolean {
  try {
    return decrypt(key, canaryPlace, sealed).toString() === canaryText
  } catch {
    // A text that was changed, or another key of the same name: the cipher does not say which.
    return false
  }
}

/** Keeps an existing canary. */
async function writeCanary(tx: Transaction, { current }: Keyring): Promise<void> {
  const sealed = encrypt(current.key, canaryPlace, Buffer.from(canaryText))
  await tx.query
    .insertInto('key_canary')
    .values({ id: 1, kek_id: current.id, sealed })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

/** How many keys and secrets of the installation there are, and which of them a ring cannot open, or by its previous key. */
export interface Opened {
  readonly all: number
  readonly locked: number
  readonly previous: number
}

/** Tries to open every key of a Project and every secret of the installation. Nothing of them is kept. */
export async function countLocked(query: Queries, ring: Keyring): Promise<Opened> {
  const counts = { all: 0, locked: 0, previous: 0 }
  const count = (kekId: string, open: () => unknown) => {
    counts.all++
    try {
      open()
      if (kekId !== ring.current.id) counts.previous++
    } catch {
      counts.locked++
    }
  }
  for (let after = 0, rows: ProjectKeyRow[]; ; after = rows.at(-1)!.id) {
    rows = await keysAfter(query, after)
    for (const row of rows) count(row.kek_id, () => unwrapKey(ring, row))
    if (rows.length < batch) break
  }
  const own = await query.selectFrom('installation_secret').selectAll().execute()
  for (const row of own) count(row.kek_id, () => openForInstallation(ring, row))
  return counts
}

function keysAfter(query: Queries, after: number): Promise<ProjectKeyRow[]> {
  const keys = acrossProjects(query).selectFrom('project_key').selectAll().where('id', '>', after)
  return keys.orderBy('id').limit(batch).execute()
}

/**
 * Encrypts every Project's key again with the current key, so that the Projects' secrets stay unchanged, and does the
 * same for the installation's own secrets. Returns the number of Projects' keys.
 */
export async function rotateKek(db: Database, ring: Keyring): Promise<number> {
  // From here on all processes encrypt with the current key, those that run too.
  await db.transact((tx) => renewCanary(tx, ring))
  let total = 0
  for (let done = batch; done === batch; ) {
    done = await db.transact((tx) => rewrapSome(tx, ring))
    total += done
  }
  await db.transact(async (tx) => {
    for (const row of await tx.query.selectFrom('installation_secret').selectAll().execute()) {
      const { name, ...fresh } = sealForInstallation(ring.current, row.name, openForInstallation(ring, row))
      await tx.query.updateTable('installation_secret').set(fresh).where('name', '=', name).execute()
    }
  })
  return total
}

async function renewCanary(tx: Transaction, { current }: Keyring): Promise<void> {
  const sealed = encrypt(current.key, canaryPlace, Buffer.from(canaryText))
  await tx.query.updateTable('key_canary').set({ kek_id: current.id, sealed }).execute()
}

async function rewrapSome(tx: Transaction, ring: Keyring): Promise<number> {
  const { rows } = await sql<ProjectKeyRow>`
    select * from project_key where kek_id <> ${ring.current.id} order by id limit ${batch}
    ${tx.dialect.lockRows('update')}
  `.execute(tx.query)
  for (const row of rows) {
    const { kek_id, wrapped } = wrapKey(ring.current, row, unwrapKey(ring, row))
    await acrossProjects(tx.query)
      .updateTable('project_key')
      .set({ kek_id, wrapped })
      .where('id', '=', row.id)
      .execute()
  }
  return rows.length
}
