/**
 * Backups of a SQLite file. A backup is one whole database file, made while others write, that was read from its first
 * page to its last before it got its name; it is put back only after it was read in the same way.
 */
import { closeSync, copyFileSync, existsSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { firstId } from '../ids.ts'
import { syncToDisk } from '../process/private-file.ts'
import { databaseFailure } from './dialect.ts'

/** What a database file holds. */
export interface Contents {
  /** Number of rows, by table. */
  readonly rows: ReadonlyMap<string, number>
  /** The latest change of the schema. */
  readonly schema: string
}

/** Why there is no backup, or why it was not put back, in words for the operator. */
export class BackupFailure extends Error {}

export interface BackupOptions {
  /** Every change of the schema that this program knows, in order. */
  readonly schema: readonly string[]
}

/**
 * Ids that a restored database leaves out, so that none of those that were given out after the backup is given out
 * again: more than an installation draws between a backup and the day on which it is needed.
 */
const idLeap = 2 ** 32

/**
 * Writes a backup of the database file `path` to `target`, readable for its owner alone. Whoever uses the database is
 * not held up. `overwrite` replaces a file that is there. Errors: `BackupFailure`; nothing is left behind then.
 */
export async function backUp(
  path: string,
  target: string,
  { schema, overwrite }: BackupOptions & { readonly overwrite: boolean },
): Promise<Contents> {
  if (!existsSync(path))
    throw new BackupFailure(`there is no database at ${resolve(path)}: --database names another one`)
  if (existsSync(target)) {
    if (isSame(path, target)) throw new BackupFailure(`${target} is the database itself`)
    if (!overwrite) throw new BackupFailure(`${target} is there already; --overwrite replaces it`)
  }
  const draft = `${target}.${process.pid}`
  try {
    naming(target, () => closeSync(openSync(draft, 'wx', 0o600)))
    const original = await copyOnline(path, draft)
    // What is wrong with the copy is wrong with the database.
    const contents = naming(path, () => opened(draft, (copy) => inspect(copy, schema)))
    for (const [table, count] of original) {
      if (contents.rows.get(table) !== count) throw new BackupFailure(`the copy lacks rows of ${table}`)
    }
    naming(target, () => {
      syncToDisk(draft)
      // Unlike a rename, a link never replaces a file that has come meanwhile.
      if (overwrite) renameSync(draft, target)
      else linkSync(draft, target)
      syncToDisk(dirname(target))
    })
    return contents
  } finally {
    removeDraft(draft)
  }
}

/** Copies one moment of a database that others use. Returns what is in it at that moment. */
async function copyOnline(path: string, draft: string): Promise<Contents['rows']> {
  const source = naming(path, () => new DatabaseSync(path, { timeout: 5_000 }))
  try {
    // Without a transaction of ours the copy would begin anew with every write of somebody else.
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

/** What `restore` has done. */
export interface Restored extends Contents {
  /** Where the database that was there is now. */
  readonly aside: string | undefined
}

/**
 * Puts the backup `file` in the place of the database file `path`, which nobody may be using: the caller holds the lock of
 * its servers. At every moment there is a whole database at `path`, if there was one. Errors: `BackupFailure`; everything
 * is as it was then.
 */
export function restore(file: string, path: string, { schema, now }: BackupOptions & { readonly now: Date }): Restored {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new BackupFailure(`there is no backup at ${file}`)
  if (existsSync(path) && isSame(path, file)) throw new BackupFailure(`${file} is the database itself`)
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new BackupFailure(
      `${file} is no backup but a database in use, with a -wal beside it; wolke backup makes one of it`,
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

/** Keeps the database at `path` under another name while the draft takes its place. */
function setAside(path: string, aside: string, draft: string): string {
  const old = naming(path, () => new DatabaseSync(path))
  try {
    // All of it goes into the one file, and nobody can write to it any more. What is damaged is kept as it is.
    old.exec('pragma journal_mode = delete; begin exclusive')
  } catch (error) {
    if (databaseFailure(error)?.kind !== 'damaged') {
      old.close()
      return fail(path, error)
    }
  }
  const log = ['-wal', '-journal'].filter((end) => existsSync(path + end))
  try {
    // What is kept and what takes its place are both there before the name goes from one to the other.
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

/** Reads all of a database. Errors: `BackupFailure` when it is damaged, of something else, or newer than this program. */
function inspect(database: DatabaseSync, schema: readonly string[]): Contents {
  // One file is all that there is to keep.
  database.exec('pragma journal_mode = delete')
  const problem = firstOf(database, 'pragma integrity_check(1)')
  if (problem !== 'ok') throw new BackupFailure(`it is damaged (${String(problem).replaceAll('\n', ' ')})`)
  if (firstOf(database, 'pragma foreign_key_check') !== undefined) {
    throw new BackupFailure('it is damaged (rows are missing that others refer to)')
  }
  const rows = countRows(database)
  const applied = rows.has('migration')
    ? database
        .prepare('select id from migration order by position')
        .all()
        .map(({ id }) => String(id))
    : []
  if (applied.length === 0 || applied[0] !== schema[0]) throw new BackupFailure('it is no database of Wolke')
  const unknown = applied.find((id, index) => schema[index] !== id)
  if (unknown !== undefined) {
    throw new BackupFailure(
      `it has the schema change '${unknown}', which this version of Wolke does not know; use a newer one`,
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

/** Does `work`; what it throws becomes a `BackupFailure` that names the file. */
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
