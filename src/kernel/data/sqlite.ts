/** SQLite in this process: reads and one write transaction take turns on a single connection. */
import { statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import {
  type DatabaseConnection,
  type Dialect as KyselyDialect,
  type LimitNode,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
  ValueNode,
} from 'kysely'
import { firstId } from '../ids.ts'
import { createPrivate } from '../process/private-file.ts'
import {
  type DatabaseEngine,
  type Dialect,
  generatedKey,
  guardStatement,
  type Run,
  retentionStatement,
} from './dialect.ts'
import { KeptRows, keyOf } from './kept-rows.ts'
import { LateRows } from './late-rows.ts'
import { logOf, type SyncFile, syncFile } from './log-syncs.ts'
import { Changes, type Touched } from './watching.ts'

const sqliteDialect: Dialect = {
  shared: false,
  ddl: (statement) =>
    statement
      .replace(/^create sequence (\w+) start \d+$/, 'create table $1 (only integer primary key, next integer not null)')
      .replace(generatedKey, 'primary key')
      .replace(guardStatement, "create trigger $1 before update on $2 when $3 begin select raise(abort, '$1'); end")
      .replace(
        retentionStatement,
        `create trigger $1 before delete on $2
        when old.time > (select strftime('%Y-%m-%dT%H:%M:%SZ', time, '-1 day') from $2 order by id desc limit 1)
        begin select raise(abort, '$1'); end`,
      )
      .replace(
        /^create table [\s\S]*$/,
        (table) => `${table} strict${severalKeys.test(table) ? ', without rowid' : ''}`,
      ),
  title: 'SQLite',
  sizeBytes: sql<number>`(select page_count * page_size from pragma_page_count(), pragma_page_size())`,
  nowMs: sql<number>`wolke_now()`,
  lockRows: () => sql``,
  lockKeys: () => undefined,
}
/** A primary key of several columns would otherwise be a second copy of its table, in another order. */
const severalKeys = /\bprimary key \(\w+,/

/** Controls access to the single SQLite connection. */
export interface SqliteGates {
  /** Awaited before a read, so that it never sees an open transaction. */
  beforeRead(): Promise<unknown> | undefined
  /** Awaited after a read, so that nobody hears of what is not on disk. Errors: for the reader. */
  afterRead(): Promise<unknown> | undefined
  /** Throws unless the caller's transaction is the open one. */
  beforeWrite(): void
  /** Called with every error of a read. */
  readFailed(error: unknown): void
}

/** The ways to open a file. */
export interface SqliteOptions {
  /** False leaves a file that is not a Wolke database untouched. */
  readonly create: boolean
  /** The database's clock, in milliseconds since the epoch. */
  now(): number
  /** The data that a database in memory begins with, as `image` gave them. */
  readonly image?: Uint8Array | undefined
  /** True to tell whether what was read has changed. */
  readonly isWatched?: boolean
  /** Waits for the disk; that of the system by default. */
  readonly sync?: SyncFile
}

/** Opens a SQLite file (or `:memory:`). */
export function openSqlite(
  path: string,
  { beforeRead, afterRead, beforeWrite, readFailed }: SqliteGates,
  { create, now, image, isWatched = false, sync = syncFile }: SqliteOptions,
): DatabaseEngine {
  const opened = path === ':memory:' ? openMemory(image) : openFile(path, create)
  const database = prepare(opened, create, image ? 64 : 16_000)
  // It is the same within a statement, so SQLite need not ask for each row.
  const readClock = () => Math.floor(now())
  database.function('wolke_now', { deterministic: true }, readClock)
  const changes = new Changes(database)
  const { run: statements, lookUp } = sqliteStatements(database, changes)
  const imageOf = images(database)
  const reading = readTogether(database, changes, readFailed)
  let written = 0
  const readBy = (run: Statements[keyof Statements], text: string, values: readonly unknown[]): ReturnType<Run> => {
    // The statement must follow the gate synchronously.
    const wait = beforeRead()
    if (wait) return wait.then(() => readBy(run, text, values))
    let result: QueryResult<unknown>
    try {
      reading.begin()
      result = run(text, values)
    } catch (error) {
      // It may have ended the transaction, after which the next read has to look for what others commit.
      reading.end()
      readFailed(error)
      throw error
    }
    const known = afterRead()
    return known ? known.then(() => result) : result
  }
  const late = new LateRows(compiler, statements)
  const write: Run = (text, values) => {
    beforeWrite()
    late.before(text)
    const result = statements(text, values)
    if (!text.startsWith('select')) written++
    return result
  }
  const isWriting = () => database.isTransaction && !reading.isOpen()
  const beside = (work: () => void) => (isWriting() ? work() : alone(database, reading, work))
  const log = hasLog(database) ? logOf(database.location()!, sync, beside) : undefined
  return {
    dialect: { ...sqliteDialect, readClock },
    kysely: sqliteKysely((text, values) => readBy(statements, text, values)),
    run: (text, values) => readBy(lookUp, text, values),
    watch: isWatched ? changes.watch : undefined,
    writer: {
      kysely: sqliteKysely(write),
      run: write,
      late,
      exec(statement) {
        reading.end()
        statements(statement, [])
      },
      sync: () => log?.sync(),
      written: () => written,
      nextId: nextIdBy(statements),
      image() {
        reading.end()
        return imageOf()
      },
      isOpen: isWriting,
      close() {
        if (!database.isOpen) return
        reading.end()
        database.close()
        log?.close()
      },
    },
  }
}

/** Does something while no other process writes. Errors: `busy`. */
function alone(database: DatabaseSync, reading: { end(): void }, work: () => void): void {
  reading.end()
  database.exec('begin immediate')
  try {
    work()
  } finally {
    database.exec('rollback')
  }
}

/** Most tables have few rows, so that small pages halve what a database in memory and each of its copies take. */
const memoryPageBytes = 1_024

/** A database with an image is a file in memory, of which a cache would keep most pages once more. */
function openMemory(image: Uint8Array | undefined): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  if (image) database.deserialize(image)
  else database.exec(`pragma page_size = ${memoryPageBytes}`)
  return database
}

/** Takes images. As long as nothing changes, all who hold one share it, so that many copies begin with a single one. */
function images(database: DatabaseSync): () => Uint8Array {
  const version = database.prepare(`
    select total_changes() || ' ' || data_version || ' ' || schema_version as version
    from pragma_data_version, pragma_schema_version`)
  let latest: { readonly version: unknown; readonly image: WeakRef<Uint8Array> } | undefined
  return () => {
    const present = version.get()!.version
    const known = latest?.version === present ? latest?.image.deref() : undefined
    const image = known ?? withoutLog(database.serialize())
    latest = { version: present, image: new WeakRef(image) }
    return image
  }
}

/** A file that says that it has a log beside it cannot be opened in memory (SQLite's file format, 1.3.3). */
function withoutLog(image: Uint8Array): Uint8Array {
  image.fill(1, 18, 20)
  return image
}

function openFile(path: string, create: boolean): DatabaseSync {
  // The file holds tenants' data; SQLite gives its other files the same mode.
  if (create) createPrivate(path)
  // SQLite names its log after the file, so users of two names of one file would destroy it.
  if (statSync(path).nlink > 1) throw new Error('the file has a second name (a hard link); remove that first')
  return new DatabaseSync(path)
}

/** Sets the pragmas of every connection. */
function prepare(database: DatabaseSync, create: boolean, cacheKb: number): DatabaseSync {
  try {
    // SQLite itself waits for the disk only before it moves the content of its log; log-syncs.ts does so for commits.
    database.exec(`
      pragma busy_timeout = 20; pragma foreign_keys = on; pragma synchronous = normal;
      pragma cache_size = -${cacheKb}; pragma temp_store = memory`)
    // Setting this mode writes to a file that does not have it yet.
    if (create) database.exec('pragma journal_mode = wal')
    // A copy that no server has opened yet has no log, nor has a file where the system cannot share memory.
    if (!hasLog(database)) database.exec('pragma synchronous = full')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Tells whether commits go to a log beside the file. */
const hasLog = (database: DatabaseSync) =>
  (database.prepare('pragma journal_mode').get() as { journal_mode: string }).journal_mode === 'wal'

const writeNextId = `
  insert into id_sequence (only, next) values (1, ?) on conflict (only) do update set next = excluded.next`

const nextIdBy = (run: Statements['run']) => ({
  read: () => (run('select next from id_sequence', []).rows[0] as { next: number } | undefined)?.next ?? firstId,
  write: (next: number) => void run(writeNextId, [next]),
})

/**
 * Reads in one turn of the event loop share a transaction: acquiring and releasing the file locks for each would cost
 * more than most reads.
 */
function readTogether(database: DatabaseSync, changes: Changes, failed: (error: unknown) => void) {
  const [begin, commit, rollback] = ['begin', 'commit', 'rollback'].map((text) => database.prepare(text))
  let isOpen = false
  /** Never throws: all reads have their results, and a transaction without writes cannot change them by its end. */
  const end = () => {
    if (!isOpen) return
    isOpen = false
    for (const statement of [commit!, rollback!]) {
      // A failed read may have ended the transaction, and one that hit a damaged page prevents its commit.
      if (!database.isTransaction) return
      try {
        statement.run()
      } catch (error) {
        failed(error)
      }
    }
  }
  return {
    begin() {
      if (isOpen) return
      begin!.run()
      isOpen = true
      setImmediate(end)
      try {
        // Until its end the transaction sees nothing of what others commit from here on.
        changes.lookForOthers()
      } catch (error) {
        end()
        throw error
      }
    },
    end,
    isOpen: () => isOpen,
  }
}

/** Writes limits as numbers: SQLite prepares a statement whose limit is a parameter anew each time that it runs. */
class Compiler extends SqliteQueryCompiler {
  protected override visitLimit({ limit }: LimitNode): void {
    this.append('limit ')
    if (ValueNode.is(limit) && typeof limit.value === 'number') this.appendImmediateValue(limit.value)
    else this.visitNode(limit)
  }
}

const compiler = new Compiler()

function sqliteKysely(run: Run): KyselyDialect {
  const unused = async () => {
    throw new Error('transactions go through Database.transact')
  }
  const connection: DatabaseConnection = {
    executeQuery: async ({ sql: text, parameters }) => run(text, parameters) as Promise<QueryResult<never>>,
    // biome-ignore lint/correctness/useYield: nothing streams from an in-process database
    async *streamQuery() {
      throw new Error('streaming is not used')
    },
  }
  return {
    createAdapter: () => new SqliteAdapter(),
    createQueryCompiler: () => compiler,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createDriver: () => ({
      init: async () => undefined,
      acquireConnection: async () => connection,
      beginTransaction: unused,
      commitTransaction: unused,
      rollbackTransaction: unused,
      releaseConnection: async () => undefined,
      destroy: async () => undefined,
    }),
  }
}

/** Caches prepared statements by text; the cache is bounded because `in` lists create many texts. */
function sqliteStatements(database: DatabaseSync, changes: Changes): Statements {
  const statements = new Map<string, Prepared>()
  const kept = new KeptRows(changes)
  let prepared = 0
  const prepare = (text: string) => {
    const known = statements.get(text)
    if (known) return known
    if (statements.size >= 500) statements.delete(statements.keys().next().value as string)
    const { statement, touched } = changes.learn(() => database.prepare(text))
    // Arrays are faster than the driver's row objects.
    statement.setReturnArrays(true)
    const columns = statement.columns().map((column) => column.name)
    // After a migration, a cached statement may select different columns.
    const changesSchema = /^\s*(create|alter|drop)\b/i.test(text)
    const made = { number: ++prepared, statement, columns, changesSchema, touched }
    statements.set(text, made)
    return made
  }
  const runPrepared = (known: Prepared, parameters: readonly unknown[]): QueryResult<unknown> => {
    const { statement, columns, changesSchema, touched } = known
    const values = parameters as (string | number | null)[]
    changes.read(touched)
    if (changesSchema) statements.clear()
    // What changes the schema may have columns as well.
    if (columns.length > 0) {
      const rows = statement.all(...values) as unknown as unknown[][]
      // What a statement changes it returns.
      if (rows.length > 0 || changesSchema) changes.changed(touched)
      return { rows: rows.map((row) => toObject(columns, row)) }
    }
    const { changes: count } = statement.run(...values)
    if (count > 0 || changesSchema) changes.changed(touched)
    return { rows: [], numAffectedRows: BigInt(count) }
  }
  return {
    run: (text, values) => runPrepared(prepare(text), values),
    lookUp(text, values) {
      const known = prepare(text)
      const { number, touched } = known
      if (!touched.isPure) return runPrepared(known, values)
      const key = keyOf(number, values)
      const found = kept.find(key, touched)
      if (found) {
        changes.read(touched)
        return found
      }
      const result = runPrepared(known, values)
      kept.keep(key, touched, result)
      return result
    },
  }
}

interface Statements {
  run(text: string, values: readonly unknown[]): QueryResult<unknown>
  /** Reads outside of a transaction; gives the same rows again as long as nothing that they depend on has changed. */
  lookUp(text: string, values: readonly unknown[]): QueryResult<unknown>
}

interface Prepared {
  readonly number: number
  readonly statement: StatementSync
  readonly columns: string[]
  readonly changesSchema: boolean
  readonly touched: Touched
}

function toObject(columns: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (let i = 0; i < columns.length; i++) row[columns[i]!] = values[i]
  return row
}
