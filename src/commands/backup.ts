/** `wolke backup` copies the database while it is in use; `wolke restore` puts the copy back. */
import { Command } from 'commander'
import { databaseOption, keyFileOption } from '../config/config.ts'
import { backupOperation } from '../kernel/audit/backups.ts'
import { recordEvent } from '../kernel/audit/entries.ts'
import { BackupFailure, backUp, type Contents, type Restored, restore } from '../kernel/data/backup.ts'
import { type DatabaseUrl, fileOf, isInMemory, locationOf } from '../kernel/data/dialect.ts'
import { schemaState } from '../kernel/data/migrate.ts'
import { openDatabase } from '../kernel/data/open.ts'
import { runningClock } from '../kernel/process/clock.ts'
import { lockForServing } from '../kernel/process/process-lock.ts'
import { keksInUse } from '../kernel/secrets/installation.ts'
import { readKeyFile } from '../kernel/secrets/key-file.ts'
import { migrations } from '../migrations/index.ts'
import { unusable } from './database.ts'
import { CommandFailure } from './failure.ts'
import { keyFileOf } from './keyring.ts'
import { commandLine } from './noted.ts'

interface BackupOptions {
  readonly database: DatabaseUrl
  readonly overwrite?: boolean
  readonly keyFile?: string
}

const schema = migrations.map(({ id }) => id)

export function backupCommand(): Command {
  return new Command('backup')
    .description('write a checked copy of the database to a file, also while a server runs')
    .argument('<file>', 'the file to write')
    .addOption(databaseOption())
    .option('--overwrite', 'replace an existing file')
    .action((file: string, options: BackupOptions) => makeBackup(file, options))
}

export function restoreCommand(): Command {
  return new Command('restore')
    .description('replace the database with a backup; the old database is kept under another name')
    .argument('<file>', 'the backup')
    .addOption(databaseOption())
    .addOption(keyFileOption())
    .action((file: string, options: BackupOptions) => putBack(file, options))
}

async function makeBackup(file: string, { database, overwrite = false }: BackupOptions): Promise<void> {
  const path = pathOf(database, (url) => `pg_dump --format=custom --file=${file} ${url}`)
  const contents = await reporting('nothing was backed up', () => backUp(path, file, { schema, overwrite }))
  await note(database)
  console.log(`Backed up ${path} to ${file}: ${summary(contents)}`)
  console.log('Files of Storage Boxes are not in it: docs/storage-boxes.md says how to copy them')
}

/** Leaves an entry in the audit log, by which wolke doctor knows how old the backup is, where the log is of this version. */
async function note(database: DatabaseUrl): Promise<void> {
  const db = await openDatabase(database, { clock: runningClock(), create: false })
  try {
    if ((await schemaState(db, migrations)) !== 'current') return
    await db.transact((tx) =>
      recordEvent(tx, { actor: commandLine(), operation: backupOperation, family: 'installation' }),
    )
  } finally {
    await db.close()
  }
}

async function putBack(file: string, options: BackupOptions): Promise<void> {
  const { database } = options
  const path = pathOf(
    database,
    (url) => `pg_restore --no-owner --exit-on-error --single-transaction --dbname=${url} ${file}`,
  )
  const restored = await reporting('nothing was restored', async () => restoreLocked(file, options, path))
  console.log(`Restored ${path} from ${file}: ${summary(restored)}`)
  if (restored.aside !== undefined) console.log(`The database that was there is ${restored.aside}`)
  await warnOfKey(options, restored)
}

function restoreLocked(file: string, { database }: BackupOptions, path: string): Restored {
  const lock = locked(database, path)
  if (!lock) throw new CommandFailure(`a wolke serve is using ${path}: stop it first`)
  try {
    const restored = restore(file, lock.path, { schema, now: new Date(runningClock().now()) })
    lock.release()
    return restored
  } catch (error) {
    lock.abandon()
    throw error
  }
}

function locked(database: DatabaseUrl, path: string) {
  try {
    return lockForServing(path)
  } catch (error) {
    throw unusable(database, error)
  }
}

/** The file of a SQLite database. Errors: `CommandFailure` that says what to do when the database is not a file. */
function pathOf(database: DatabaseUrl, elsewhere: (url: string) => string): string {
  const path = fileOf(database)
  if (path !== undefined) return path
  if (isInMemory(database)) {
    throw new CommandFailure('the database "memory" ends with its server; there is nothing to back up', 2)
  }
  throw new CommandFailure(
    `use PostgreSQL's own tools, see docs/operating/backups.md: ${elsewhere(locationOf(database))}`,
    2,
  )
}

async function reporting<T>(outcome: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BackupFailure) throw new CommandFailure(`${outcome}: ${error.message}`)
    throw error
  }
}

function summary({ rows, schema: latest }: Contents): string {
  const total = [...rows.values()].reduce((sum, count) => sum + count, 0)
  return `${total} rows in ${rows.size} tables, schema ${latest}`
}

/**
 * Warns when the key file does not fit: a backup does not hold the key of its secrets, and no server starts without it.
 */
async function warnOfKey(options: BackupOptions, { rows }: Restored): Promise<void> {
  // Backups from before secrets existed have no such table.
  if (!rows.has('installation_secret')) return
  const db = await openDatabase(options.database, { clock: runningClock() })
  const needed = await keksInUse(db.query).finally(() => db.close())
  const path = keyFileOf(options)
  const missing = [...needed].filter((id) => id !== keyAt(path))
  if (missing.length === 0) return
  console.error(
    `wolke: warning: the secrets in this backup need the key ${missing.join(' and ')}, which ${path} does not hold; put it there before you start wolke serve`,
  )
}

/** The id of the key in a file; undefined when the file holds no usable key. */
function keyAt(path: string): string | undefined {
  try {
    return readKeyFile(path)?.id
  } catch {
    return undefined
  }
}
