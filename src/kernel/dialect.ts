/**
 * The only file that knows which database it speaks to. Everything else writes portable SQL: 64-bit `integer`, `text`,
 * 0/1 for booleans, JSON as text, timestamps as fixed-width text.
 */
import { createHash } from 'node:crypto'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import {
  type DatabaseConnection,
  type Dialect as KyselyDialect,
  PostgresDialect,
  type PostgresPoolClient,
  type QueryResult,
  type RawBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import type { PoolClient, PoolConfig } from 'pg'
import { firstId } from './ids.ts'
import { createPrivate } from './private-file.ts'

/** Where the data lives. */
export type DatabaseUrl =
  | { readonly engine: 'sqlite'; readonly path: string }
  | { readonly engine: 'postgres'; readonly url: string }

/** Parses `sqlite:PATH`, `memory` or `postgres://...`; undefined when it is none of them. */
export function parseDatabaseUrl(text: string): DatabaseUrl | undefined {
  if (text === 'memory') return { engine: 'sqlite', path: ':memory:' }
  if (text.startsWith('sqlite:') && text.length > 'sqlite:'.length) return { engine: 'sqlite', path: text.slice(7) }
  if (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text)) return { engine: 'postgres', url: text }
  return undefined
}

/** The file of a database that lives inside its process; undefined for one in memory and for a server's. */
export function fileOf(url: DatabaseUrl): string | undefined {
  return url.engine === 'sqlite' && url.path !== ':memory:' ? url.path : undefined
}

/** Whether the data is gone with the process that has it open. */
export function isInMemory(url: DatabaseUrl): boolean {
  return url.engine === 'sqlite' && url.path === ':memory:'
}

/** What differs between the engines, in one place. */
export interface Dialect {
  /** Whether other processes can write to the same data at the same time. */
  readonly shared: boolean
  /**
   * Rewrites a DDL statement for this engine: 64-bit integers, strict tables, the key as the table, the sequence of ids,
   * and `create guard NAME on TABLE when CONDITION`, which refuses updates of rows whose `old` values meet it.
   */
  ddl(statement: string): string
  /** The database's own clock in whole milliseconds: the only clock of leases and shared limits. */
  readonly nowMs: RawBuilder<number>
  /** Appended to a select: lock the rows until the transaction ends; `skip` leaves out rows that others hold. */
  lockRows(mode: 'update' | 'share' | 'skip'): RawBuilder<unknown>
  /** Makes rivals for the same keys wait until this transaction ends; undefined where writers are alone anyway. */
  lockKeys(keys: readonly string[]): RawBuilder<unknown> | undefined
}

const sqliteDialect: Dialect = {
  shared: false,
  ddl: (statement) =>
    statement
      .replace(/^create sequence (\w+) start \d+$/, 'create table $1 (only integer primary key, next integer not null)')
      .replace(guard, "create trigger $1 before update on $2 when $3 begin select raise(abort, '$1'); end")
      .replace(
        /^create table [\s\S]*$/,
        (table) => `${table} strict${severalKeys.test(table) ? ', without rowid' : ''}`,
      ),
  nowMs: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
  lockRows: () => sql``,
  lockKeys: () => undefined,
}

const guard = /^create guard (\w+) on (\w+) when (.*)$/

/** A key of several columns would be a second copy of its table, in another order. */
const severalKeys = /\bprimary key \(\w+,/

const postgresDialect: Dialect = {
  shared: true,
  ddl: (statement) =>
    statement.replace(/\binteger\b/gi, 'bigint').replace(
      guard,
      `create function $1() returns trigger language plpgsql as 'begin raise exception ''$1''; end';
       create trigger $1 before update on $2 for each row when ($3) execute function $1()`,
    ),
  nowMs: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
  lockRows: (mode) =>
    mode === 'skip' ? sql`for no key update skip locked` : mode === 'share' ? sql`for share` : sql`for no key update`,
  // Sorted, so that two who want the same keys do not wait for each other.
  lockKeys: (keys) => sql`
    select pg_advisory_xact_lock(key) from unnest(${[...keys].sort().map(hash64)}::bigint[]) as wanted (key)`,
}

/** 64 bits of a key's hash, as text that PostgreSQL reads as a signed number. */
function hash64(key: string): string {
  return createHash('sha256').update(key).digest().readBigInt64BE().toString()
}

/** Runs one statement past kysely, and at once if it can. */
type Run = (text: string, values: readonly unknown[]) => QueryResult<unknown> | Promise<QueryResult<unknown>>

/** An opened engine: what kysely needs, and how a failure of the engine reads. */
export interface Engine {
  readonly dialect: Dialect
  /** For reads outside a transaction, and on PostgreSQL for transactions too. */
  readonly kysely: KyselyDialect
  /** Present on PostgreSQL: draws `count` increasing ids; holes are allowed, repetition is not. */
  readonly drawIds?: (count: number) => RawBuilder<{ id: number }>
  /** Present on SQLite: a read outside a transaction, without what kysely does for each. */
  readonly run?: Run
  /** Present on SQLite: statements inside the one open write transaction. */
  readonly writer?: {
    readonly kysely: KyselyDialect
    readonly run: Run
    exec(statement: string): void
    /** The id that is drawn next, as the open transaction sees it, and what it shall be from the commit on. */
    readonly nextId: { read(): number; write(next: number): void }
    /** Whether a transaction is open: some failures end it without being asked. */
    isOpen(): boolean
    close(): void
  }
}

/** Who may use the one connection of SQLite, and when. */
export interface SqliteGates {
  /** Awaited before a read, so that it never sees an open transaction. */
  beforeRead(): Promise<void> | undefined
  /** Throws unless the caller's transaction is the open one. */
  beforeWrite(): void
}

/** Opens a SQLite file (or `:memory:`). */
export function openSqlite(path: string, { beforeRead, beforeWrite }: SqliteGates): Engine {
  // What tenants trust the database with; SQLite gives its other files the mode of this one.
  if (path !== ':memory:') createPrivate(path)
  const database = new DatabaseSync(path, { timeout: 20, enableForeignKeyConstraints: true })
  database.exec(
    'pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -16000; pragma temp_store = memory',
  )
  const statements = sqliteStatements(database)
  const reading = readTogether(database)
  const read: Run = (text, values) => {
    // Nothing may come between the gate and the statement.
    const wait = beforeRead()
    if (wait) return wait.then(() => read(text, values))
    reading.begin()
    return statements(text, values)
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

const writeNextId = `
  insert into id_sequence (only, next) values (1, ?) on conflict (only) do update set next = excluded.next`

/**
 * Reads of one turn of the event loop share a transaction: taking and giving back the file's locks for each would cost
 * more than most reads.
 */
function readTogether(database: DatabaseSync) {
  const [begin, commit] = [database.prepare('begin'), database.prepare('commit')]
  let isOpen = false
  const end = () => {
    if (isOpen) commit.run()
    isOpen = false
  }
  return {
    begin() {
      if (isOpen) return
      begin.run()
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

/** Opens a pool on PostgreSQL, or on anything that speaks its protocol. */
export async function openPostgres(url: string, poolSize: number): Promise<Engine> {
  const pg = await import('pg')
  const types: PoolConfig['types'] = {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      // int8 and numeric: ids have at most 52 bits, so a number holds them exactly.
      oid === 20 || oid === 1700 ? Number : pg.default.types.getTypeParser(oid, format as 'text'),
  } as NonNullable<PoolConfig['types']>
  const pool = new pg.default.Pool({
    connectionString: url,
    max: poolSize,
    types,
    connectionTimeoutMillis: 2_000,
    query_timeout: queryTimeoutMs,
    async onConnect(client) {
      // One that breaks in use says so through its query; without a listener it would end the process.
      client.on('error', () => undefined)
      await client.query(serverLimits)
    },
  })
  // An idle connection that breaks is replaced by the pool.
  pool.on('error', () => undefined)
  const connect = async () => reserve(await pool.connect())
  const drawIds = (count: number) =>
    sql<{ id: number }>`select nextval('id_sequence') as id from generate_series(1, ${count}::int)`
  const kysely = new PostgresDialect({ pool: { connect, end: () => pool.end() } })
  return { dialect: postgresDialect, kysely, drawIds }
}

/** The server gives up first and says so; this process only when it does not hear from the server at all. */
const queryTimeoutMs = 10_000
/** The second limit keeps a process that stands still in a transaction from keeping others from its rows. */
const serverLimits = 'set statement_timeout = 8000; set idle_in_transaction_session_timeout = 8000'

/** Thrown when COMMIT did not commit, because a statement had failed and the work went on all the same. */
export class NotCommitted extends Error {}

/**
 * A connection for one transaction or read. Once it broke or let a query run into its time limit, nobody knows what is
 * still open on it: it answers nothing more and is closed instead of being used again.
 */
function reserve(client: PoolClient): PostgresPoolClient {
  let broken: unknown
  const query = async (text: string, parameters: readonly unknown[]) => {
    if (broken) throw broken
    try {
      const result = await client.query(text, [...parameters])
      if (text === 'commit' && result.command !== 'COMMIT') throw new NotCommitted('a failed statement was ignored')
      return result
    } catch (error) {
      // An error that the server itself reports leaves the connection in order.
      const reported = error instanceof NotCommitted || (error instanceof Error && 'severity' in error)
      const kind = databaseFailure(error)?.kind
      if (!reported || kind === 'unavailable' || kind === 'timeout') broken = error
      throw error
    }
  }
  return { query, release: () => client.release(broken !== undefined) } as unknown as PostgresPoolClient
}

/** What went wrong in the engine, in terms that the rest of the code can act on. */
export type DatabaseFailure =
  | { readonly kind: 'unique' | 'foreign_key'; readonly constraint: string }
  | { readonly kind: 'retry' | 'busy' | 'timeout' | 'unavailable' }

/** Reads an engine's error; undefined when it is not one of those that have a meaning here. */
export function databaseFailure(error: unknown): DatabaseFailure | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, errcode, constraint, message } = error as Error & {
    code?: string
    errcode?: number
    constraint?: string
  }
  if (code === 'ERR_SQLITE_ERROR') return sqliteFailure(errcode ?? 0, message)
  if (code === '23505') return { kind: 'unique', constraint: constraint ?? '' }
  if (code === '23503') return { kind: 'foreign_key', constraint: constraint ?? '' }
  if (code === '40001' || code === '40P01') return { kind: 'retry' }
  if (code === '57014' || message === 'Query read timeout') return { kind: 'timeout' }
  if (code && unavailableCodes.test(code)) return { kind: 'unavailable' }
  return unavailableTexts.test(message) ? { kind: 'unavailable' } : undefined
}

/** Connection lost, out of resources, shut down or read-only after a failover, and the network's own. */
const unavailableCodes = /^(08|53|57P|25P03$|25006$)|^(ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|E(HOST|NET)UNREACH)/
const unavailableTexts = /timeout exceeded when trying to connect|Connection terminated|not queryable/

/** SQLite names the columns (`UNIQUE constraint failed: firewall.project_id, firewall.name`), not the constraint. */
function sqliteFailure(errcode: number, message: string): DatabaseFailure | undefined {
  if (errcode === 2067 || errcode === 1555) {
    const columns = message.slice(message.lastIndexOf(': ') + 2).split(', ')
    const table = columns[0]?.split('.')[0] ?? ''
    return { kind: 'unique', constraint: [table, ...columns.map((column) => column.split('.')[1]), 'key'].join('_') }
  }
  if (errcode === 787) return { kind: 'foreign_key', constraint: '' }
  if ((errcode & 0xff) === 5) return { kind: 'busy' }
  if ([8, 10, 13, 14].includes(errcode & 0xff)) return { kind: 'unavailable' }
  return undefined
}
