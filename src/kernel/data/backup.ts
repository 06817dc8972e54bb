/**
 * Backups of a SQLite file. A backup is a complete database file, copied while others write; it gets its name only
 * after it was read from the first page to the last. It is checked in the same way before it is restored.
 */
import { closeSync, copyFileSync, existsSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { firstId } from '../ids.ts'
import { syncToDisk } from '../process/private-file.ts'
import { databaseFailure } from './dialect.ts'

/** Contents of a database file. */
export interface Contents {
  /** Number of rows per table. */
  readonly rows: ReadonlyMap<string, number>
  /** The latest migration. */
  readonly schema: string
}

/** The reason why a backup or restore failed, worded for the operator. */
export class BackupFailure extends Error {}

export interface BackupOptions {
  /** All migrations that this program knows, in order. */
  readonly schema: readonly string[]
}

/**
 * The number of ids that a restored database skips, so that no id drawn after the backup is drawn again: more than an
 * installation draws between a backup and its restore.
 */
const idLeap = 2 ** 32

/**
 * Writes a backup of the database file `path` to `target`, readable only by its owner. Users of the database are not
 * blocked. `overwrite` replaces an existing file. Errors: `BackupFailure`, which leaves nothing behind.
 */
export async function backUp(
  path: string,
  target: string,
  { schema, overwrite }: BackupOptions & { readonly overwrite: boolean },
): Promise<Contents> {
  if (!existsSync(path))
    throw new BackupFailure(`there is no database at ${resolve(path)}: set --database to the one that is in use`)
  if (existsSync(target)) {
    if (isSame(path, target)) throw new BackupFailure(`${target} is the database itself`)
    if (!overwrite) throw new BackupFailure(`${target} already exists; use --overwrite to replace it`)
  }
  const draft = `${target}.${process.pid}`
  try {
    naming(target, () => closeSync(openSync(draft, 'wx', 0o600)))
    const original = await copyOnline(path, draft)
    // A fault in the copy is a fault in the database, so errors name the database.
    const contents = naming(path, () => opened(draft, (copy) => inspect(copy, schema)))
    for (const [table, count] of original) {
      if (contents.rows.get(table) !== count) throw new BackupFailure(`the copy lacks rows of ${table}`)
    }
    naming(target, () => {
      syncToDisk(draft)
      // Unlike a rename, a link never replaces a file created meanwhile.
      if (overwrite) renameSync(draft, target)
      else linkSync(draft, target)
      syncToDisk(dirname(target))
    })
    return contents
  } finally {
    removeDraft(draft)
  }
}

/** Copies a snapshot of a database in use. Returns the row counts of that snapshot. */
async function copyOnline(path: string, draft: string): Promise<Contents['rows']> {
  const source = naming(path, () => new DatabaseSync(path, { timeout: 5_000 }))
  try {
    // Outside a transaction, the copy would start over with every write of another process.
    const rows = naming(path, () => {
      source.exec('begin')
      return countRows(source)
    })
    await backup(source, draft, { rate: 2_000 }).catch((error: unknown) => fail(path, error))
    return rows
  } finally {
    source.close()
  }
}

/** The result of `restore`. */
export interface Restored extends Contents {
  /** The new path of the previous database. */
  readonly aside: string | undefined
}

/**
 * Replaces the database file `path` with the backup `file`. Nobody may be using the database: the caller holds the
 * serving lock. At every moment there is a complete database at `path`, if there was one. Errors: `BackupFailure`,
 * which leaves everything as it was.
 */
export function restore(file: string, path: string, { schema, now }: BackupOptions & { readonly now: Date }): Restored {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new BackupFailure(`there is no backup at ${file}`)
  if (existsSync(path) && isSame(path, file)) throw new BackupFailure(`${file} is the database itself`)
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new BackupFailure(
      `${file} is not a backup but a database in use, with a -wal file; make a backup of it with wolke backup`,
    )
  }
  const draft = `${path}.restoring`
  removeDraft(draft)
  try {
    naming(path, () => closeSync(openSync(draft, 'wx', 0o600)))
    naming(file, () => copyFileSync(file, draft))
    const contents = naming(file, () => opened(draft, (copy) => leapIds(copy, inspect(copy, schema))))
    syncToDisk(draft)
    const aside = existsSync(path) ? setAside(path, stamped(path, now), draft) : undefined
    if (!aside) naming(path, () => renameSync(draft, path))
    syncToDisk(dirname(path))
    return { ...contents, aside }
  } finally {
    removeDraft(draft)
  }
}

const stamped = (path: string, now: Date) => `${path}.before-${now.toISOString().replace(/[-:]|\.\d+/g, '')}`

/** Keeps the database at `path` under another name while the draft replaces it. */
function setAside(path: string, aside: string, draft: string): string {
  const old = naming(path, () => new DatabaseSync(path))
  try {
    // Merges the log into the file and keeps others from writing. A damaged database is kept as it is.
    old.exec('pragma journal_mode = delete; begin exclusive')
  } catch (error) {
    if (databaseFailure(error)?.kind !== 'damaged') {
      old.close()
      return fail(path, error)
    }
  }
  const log = ['-wal', '-journal'].filter((end) => existsSync(path + end))
  try {
    // Both files exist before the draft takes over the name of the previous database.
    naming(path, () => linkSync(path, aside))
    for (const end of log) renameSync(path + end, aside + end)
    rmSync(`${path}-shm`, { force: true })
    naming(path, () => renameSync(draft, path))
    return aside
  } catch (error) {
    for (const end of log) if (existsSync(aside + end)) renameSync(aside + end, path + end)
    rmSync(aside, { force: true })
    throw error
  } finally {
    old.close()
  }
}

/**
 * Reads a whole database. Errors: `BackupFailure` when it is damaged, not a Wolke database, or newer than this program.
 */
function inspect(database: DatabaseSync, schema: readonly string[]): Contents {
  // The copy must be a single file, without a log.
  database.exec('pragma journal_mode = delete')
  const problem = firstOf(database, 'pragma integrity_check(1)')
  if (problem !== 'ok') throw new BackupFailure(`it is damaged (${String(problem).replaceAll('\n', ' ')})`)
  if (firstOf(database, 'pragma foreign_key_check') !== undefined) {
    throw new BackupFailure('it is damaged (a foreign key refers to a missing row)')
  }
  const rows = countRows(database)
  const applied = rows.has('migration')
    ? database
        .prepare('select id from migration order by position')
        .all()
        .map(({ id }) => String(id))
    : []
  if (applied.length === 0 || applied[0] !== schema[0]) throw new BackupFailure('it is not a Wolke database')
  const unknown = applied.find((id, index) => schema[index] !== id)
  if (unknown !== undefined) {
    throw new BackupFailure(
      `it has the schema change '${unknown}', which this version of Wolke does not know; use a newer version`,
    )
  }
  return { rows, schema: applied.at(-1)! }
}

function leapIds(database: DatabaseSync, contents: Contents): Contents {
  database
    .prepare(
      `insert into id_sequence (only, next) values (1, ?) on conflict (only) do update set next = id_sequence.next + ?`,
    )
    .run(firstId + idLeap, idLeap)
  return contents
}

function countRows(database: DatabaseSync): Map<string, number> {
  const names = database
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
    .all()
  return new Map(
    names.map(({ name }) => [String(name), Number(firstOf(database, `select count(*) from "${String(name)}"`))]),
  )
}

/** The first value of the first row. */
function firstOf(database: DatabaseSync, query: string): unknown {
  return Object.values(database.prepare(query).get() ?? {})[0]
}

function opened<T>(path: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path)
  try {
    return work(database)
  } finally {
    database.close()
  }
}

function removeDraft(draft: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(draft + end, { force: true })
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [statSync(one), statSync(other)]
  return a.dev === b.dev && a.ino === b.ino
}

/** Runs `work` and turns its errors into a `BackupFailure` that names the file. */
function naming<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    return fail(path, error)
  }
}

function fail(path: string, error: unknown): never {
  const { message } = error as Error
  const kind = databaseFailure(error)?.kind
  if (kind === 'busy') throw new BackupFailure(`${path}: another process is using it`)
  throw new BackupFailure(`${path}: ${kind === 'damaged' ? `it is damaged (${message})` : message}`, { cause: error })
}
