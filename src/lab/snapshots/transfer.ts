/**
 * States of clouds as files, which another machine loads. The keys of an installation never leave it: in a file, the
 * secrets are encrypted with a key of the file's own, which is in it, so that whoever has the file has the secrets.
 */
import { keepManagementTokens } from '../../kernel/access/management-tokens.ts'
import type { Database, Queries } from '../../kernel/data/db.ts'
import { databaseFailure } from '../../kernel/data/dialect.ts'
import { damageOf, schemaText } from '../../kernel/data/examine.ts'
import { type Migration, migrate, UnknownMigration } from '../../kernel/data/migrate.ts'
import { openDatabase } from '../../kernel/data/open.ts'
import { rotateKek, unlock, WrongKey } from '../../kernel/secrets/installation.ts'
import { randomKey, toKek } from '../../kernel/secrets/kek.ts'
import type { Secrets } from '../../kernel/secrets/secrets.ts'
import { LabClock } from '../clock.ts'
import type { Copied, State } from '../states.ts'
import { BadSnapshot, readSnapshot, writeSnapshot } from './format.ts'

/** The cloud that writes files or loads them. */
export interface TransferOptions {
  /** The version of Wolke. */
  readonly version: string
  readonly migrations: readonly Migration[]
  readonly secrets: Secrets
  /** Whoever administers the cloud still does after it has loaded a file. */
  readonly query: Queries
  readonly infrastructure: Copied
}

/** The bytes of a file with a state. */
export async function exportState(
  { image, infrastructure, nowMs, mode }: State,
  { version, migrations, secrets }: TransferOptions,
): Promise<Buffer> {
  const key = randomKey()
  const sealed = await changed(image, nowMs, async (db) => {
    // Secrets may still be encrypted with the key before the current one.
    if (secrets.ring.previous) await rotateKek(db, secrets.ring)
    await rotateKek(db, { current: toKek(key), previous: secrets.ring.current })
  })
  const schema = migrations.at(-1)!.id
  return writeSnapshot({
    wolke: version,
    schema,
    nowMs,
    mode,
    key,
    image: sealed,
    infrastructure: infrastructure.save(),
  })
}

/** The state in a file, with a schema as this version has it. Errors: `BadSnapshot`. */
export async function importState(file: Buffer, options: TransferOptions): Promise<State> {
  const { version, migrations, secrets, query } = options
  const { wolke, key, nowMs, mode, infrastructure, image: given } = await readSnapshot(file)
  const image = await changed(given, nowMs, async (db) => {
    await checkPages(db)
    await migrate(db, migrations)
    await checkSchema(db, migrations)
    const own = toKek(key)
    await unlock(db, { current: own })
    await rotateKek(db, { current: secrets.ring.current, previous: own }).catch((error: Error) => {
      throw new BadSnapshot(`has secrets that cannot be opened: ${error.message}`)
    })
    await keepManagementTokens(db, query)
  }).catch((error: unknown) => {
    throw refusalOf(error)
  })
  // Another version may have saved it in another form: it begins empty, as that of a server that starts.
  const saved = wolke === version ? infrastructure : {}
  return { image, nowMs, mode, infrastructure: loaded(options.infrastructure, saved, nowMs), faults: [] }
}

/** An image after some work on it. */
async function changed(image: Uint8Array, nowMs: number, work: (db: Database) => Promise<void>): Promise<Uint8Array> {
  const clock = new LabClock(nowMs, 'frozen')
  const memory = { engine: 'sqlite', path: ':memory:' } as const
  const db = await openDatabase(memory, { clock, databaseNow: clock.now, image })
  try {
    await work(db)
    return await db.image!()
  } finally {
    await db.close()
  }
}

async function checkPages({ query }: Database): Promise<void> {
  const damage = await damageOf(query)
  if (damage !== undefined) throw new BadSnapshot(`has a damaged database, with ${damage}`)
}

/** Whatever else a database could do by itself, such as by triggers, is none of Wolke's. */
async function checkSchema(db: Database, migrations: readonly Migration[]): Promise<void> {
  const clock = new LabClock(0, 'frozen')
  const fresh = await openDatabase({ engine: 'sqlite', path: ':memory:' }, { clock })
  try {
    await migrate(fresh, migrations)
    if ((await schemaText(db.query)) !== (await schemaText(fresh.query)))
      throw new BadSnapshot('has tables that are not those of Wolke')
  } finally {
    await fresh.close()
  }
}

function loaded(infrastructure: Copied, saved: Readonly<Record<string, unknown>>, nowMs: number): Copied {
  try {
    return infrastructure.load(new LabClock(nowMs, 'frozen'), saved)
  } catch (error) {
    if (error instanceof TypeError) throw new BadSnapshot(`has an infrastructure that cannot be read: ${error.message}`)
    throw error
  }
}

/** Errors of the database in a file are said of the file. */
function refusalOf(error: unknown): unknown {
  if (error instanceof WrongKey || error instanceof UnknownMigration)
    return new BadSnapshot(`cannot be used: ${error.message}`)
  const isSqlite = error instanceof Error && (error as { code?: string }).code === 'ERR_SQLITE_ERROR'
  if (isSqlite || databaseFailure(error)) return new BadSnapshot(`has no usable database: ${(error as Error).message}`)
  return error
}
