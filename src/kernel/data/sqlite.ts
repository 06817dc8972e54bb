/** SQLite, inside this process: one connection on which reads and one write transaction take turns. */
import { statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import {
  type DatabaseConnection,
  type Dialect as KyselyDialect,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import { firstId } from '../ids.ts'
import { createPrivate } from '../process/private-file.ts'
import { type Dialect, type Engine, guardStatement, type Run } from './dialect.ts'

const sqliteDialect: Dialect = {
  shared: false,
  ddl: (statement) =>
    statement
      .replace(/^create sequence (\w+) start \d+$/, 'create table $1 (only integer primary key, next integer not null)')
      .replace(guardStatement, "create trigger $1 before update on $2 when $3 begin select raise(abort, '$1'); end")
      .replace(
        /^create table [\s\S]*$/,
        (table) => `${table} strict${severalKeys.test(table) ? ', without rowid' : ''}`,
      ),
  nowMs: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
  lockRows: () => sql``,
  lockKeys: () => undefined,
}
/** A key of several columns would be a second copy of its table, in another order. */
const severalKeys = /\bprimary key \(\w+,/

/** Who may use the one connection of SQLite, and when. */
export interface SqliteGates {
  /** Awaited before a read, so that it never sees an open transaction. */
  beforeRead(): Promise<unknown> | undefined
  /** Throws unless the caller's transaction is the open one. */
  beforeWrite(): void
  /** Hears of everything that a read failed for. */
  readFailed(error: unknown): void
}

/** Opens a SQLite file (or `:memory:`). Unless it may `create` one, a file that is not ours stays as it is. */
export function openSqlite(
  path: string,
  { beforeRead, beforeWrite, readFailed }: SqliteGates,
  create: boolean,
): Engine {
  const database = prepare(path === ':memory:' ? new DatabaseSync(path) : openFile(path, create), create)
  const statements = sqliteStatements(database)
  const reading = readTogether(database, readFailed)
  const read: Run = (text, values) => {
    // Nothing may come between the gate and the statement.
    const wait = beforeRead()
    if (wait) return wait.then(() => read(text, values))
    try {
      reading.begin()
      return statements(text, values)
    } catch (error) {
      readFailed(error)
      throw error
    }
  }
  const write: Run = (text, values) => {
    beforeWrite()
    return statements(text, values)
  }
  return {
    dialect: sqliteDialect,
    kysely: sqliteKysely(read),
    run: read,
    writer: {
      kysely: sqliteKysely(write),
      run: write,
      exec(statement) {
        reading.end()
        statements(statement, [])
      },
      waitForDisk(always) {
        reading.end()
        // SQLite obeys when it reads this, not when it runs it: a statement that was prepared before would do nothing.
        database.exec(`pragma synchronous = ${always ? 'full' : 'normal'}`)
      },
      nextId: {
        read: () =>
          (statements('select next from id_sequence', []).rows[0] as { next: number } | undefined)?.next ?? firstId,
        write: (next) => void statements(writeNextId, [next]),
      },
      isOpen: () => database.isTransaction && !reading.isOpen(),
      close() {
        if (!database.isOpen) return
        reading.end()
        database.close()
      },
    },
  }
}

function openFile(path: string, create: boolean): DatabaseSync {
  // What tenants trust the database with; SQLite gives its other files the mode of this one.
  if (create) createPrivate(path)
  // What SQLite keeps beside a file goes by its name, so that two who use different names destroy it.
  if (statSync(path).nlink > 1) throw new Error('the file has a second name (a hard link), which has to go first')
  return new DatabaseSync(path)
}

/** What every connection needs. */
function prepare(database: DatabaseSync, create: boolean): DatabaseSync {
  try {
    database.exec(`
      pragma busy_timeout = 20; pragma foreign_keys = on; pragma synchronous = full;
      pragma cache_size = -16000; pragma temp_store = memory`)
    // This is written into a file that is not in this mode yet.
    if (create) database.exec('pragma journal_mode = wal')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

const writeNextId = `
  insert into id_sequence (only, next) values (1, ?) on conflict (only) do update set next = excluded.next`

/**
 * Reads of one turn of the event loop share a transaction: taking and giving back the file's locks for each would cost
 * more than most reads.
 */
function readTogether(database: DatabaseSync, failed: (error: unknown) => void) {
  const [begin, commit, rollback] = ['begin', 'commit', 'rollback'].map((text) => database.prepare(text))
  let isOpen = false
  /** Never throws: every read has its answer, and how a transaction ends that wrote nothing changes none of them. */
  const end = () => {
    if (!isOpen) return
    isOpen = false
    for (const statement of [commit!, rollback!]) {
      // A failed read may have ended it already, and one that met a damaged page keeps it from being committed.
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
    },
    end,
    isOpen: () => isOpen,
  }
}

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
    createQueryCompiler: () => new SqliteQueryCompiler(),
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

/** Statements are prepared once per text; the cache is bounded because `in` lists make many texts. */
function sqliteStatements(database: DatabaseSync) {
  const statements = new Map<string, { statement: StatementSync; columns: string[]; changesSchema: boolean }>()
  const prepare = (text: string) => {
    const known = statements.get(text)
    if (known) return known
    if (statements.size >= 500) statements.delete(statements.keys().next().value as string)
    const statement = database.prepare(text)
    // Its own objects are slow to make and to use.
    statement.setReturnArrays(true)
    const columns = statement.columns().map((column) => column.name)
    // After a change of the schema, what a statement selects may no longer be what it was.
    const changesSchema = /^\s*(create|alter|drop)\b/i.test(text)
    const made = { statement, columns, changesSchema }
    statements.set(text, made)
    return made
  }
  return (text: string, parameters: readonly unknown[]): QueryResult<unknown> => {
    const { statement, columns, changesSchema } = prepare(text)
    const values = parameters as (string | number | null)[]
    if (columns.length > 0) {
      const rows = statement.all(...values) as unknown as unknown[][]
      return { rows: rows.map((row) => toObject(columns, row)) }
    }
    if (changesSchema) statements.clear()
    return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) }
  }
}

function toObject(columns: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (let i = 0; i < columns.length; i++) row[columns[i]!] = values[i]
  return row
}
