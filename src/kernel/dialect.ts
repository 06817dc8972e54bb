/**
 * The only file that knows which database it speaks to. Everything else writes portable SQL: 64-bit `integer`, `text`,
 * 0/1 for booleans, JSON as text, timestamps as fixed-width text.
 */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import {
  type DatabaseConnection,
  type Driver,
  type Dialect as KyselyDialect,
  PostgresDialect,
  type RawBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import type { PoolConfig } from 'pg'
import { firstId } from './ids.ts'

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

/** What differs between the engines, in one place. */
export interface Dialect {
  /** Whether other processes can write to the same data at the same time. */
  readonly shared: boolean
  /** Rewrites a DDL statement for this engine: 64-bit integers, strict tables, the sequence of ids. */
  ddl(statement: string): string
  /** The database's own clock in whole milliseconds: the only clock of leases and shared limits. */
  readonly nowMs: RawBuilder<number>
  /** Appended to a select: lock the rows until the transaction ends; `skip` leaves out rows that others hold. */
  lockRows(mode: 'update' | 'share' | 'skip'): RawBuilder<unknown>
  /** Makes rivals wait until this transaction ends before they read or write `table`. */
  lockTable(table: string): RawBuilder<unknown>
  /** Draws `count` increasing ids; holes are allowed, repetition is not. */
  drawIds(count: number): RawBuilder<{ id: number }>
}

const sqliteDialect: Dialect = {
  shared: false,
  ddl: (statement) =>
    statement
      .replace(/^create sequence (\w+) start \d+$/, 'create table $1 (only integer primary key, next integer not null)')
      .replace(/^create table [^]*$/, '$& strict'),
  nowMs: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
  lockRows: () => sql``,
  lockTable: () => sql`select 1`,
  drawIds: (count) => sql`
    insert into id_sequence (only, next) values (1, ${firstId + count})
    on conflict (only) do update set next = next + ${count} returning next - ${count} as id`,
}

const postgresDialect: Dialect = {
  shared: true,
  ddl: (statement) => statement.replace(/\binteger\b/gi, 'bigint'),
  nowMs: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
  lockRows: (mode) =>
    mode === 'skip' ? sql`for update skip locked` : mode === 'share' ? sql`for share` : sql`for update`,
  lockTable: (table) => sql`lock table ${sql.table(table)} in access exclusive mode`,
  drawIds: (count) => sql`select nextval('id_sequence') as id from generate_series(1, ${count}::int)`,
}

/** An opened engine: what kysely needs, and how a failure of the engine reads. */
export interface Engine {
  readonly dialect: Dialect
  /** For reads outside a transaction, and on PostgreSQL for transactions too. */
  readonly kysely: KyselyDialect
  /** Present on SQLite: statements inside the one open write transaction. */
  readonly writer?: { readonly kysely: KyselyDialect; exec(statement: string): void }
}

/** Opens a SQLite file (or `:memory:`); `gate` is awaited before a read so that it never sees an open transaction. */
export function openSqlite(path: string, gate: () => Promise<void> | undefined): Engine {
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true })
  const database = new DatabaseSync(path, { timeout: 20, enableForeignKeyConstraints: true })
  database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -16000')
  const connection = sqliteConnection(database)
  const close = async () => database.close()
  return {
    dialect: sqliteDialect,
    kysely: sqliteKysely({
      async acquireConnection() {
        for (let wait = gate(); wait; wait = gate()) await wait
        return connection
      },
      destroy: close,
    }),
    writer: {
      kysely: sqliteKysely({ acquireConnection: async () => connection, destroy: async () => undefined }),
      exec: (statement) => database.exec(statement),
    },
  }
}

function sqliteKysely(driver: Pick<Driver, 'acquireConnection' | 'destroy'>): KyselyDialect {
  const unused = async () => {
    throw new Error('transactions go through Database.transact')
  }
  return {
    createAdapter: () => new SqliteAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createDriver: () => ({
      init: async () => undefined,
      beginTransaction: unused,
      commitTransaction: unused,
      rollbackTransaction: unused,
      releaseConnection: async () => undefined,
      ...driver,
    }),
  }
}

/** Statements are prepared once per text; the cache is bounded because `in` lists make many texts. */
function sqliteConnection(database: DatabaseSync): DatabaseConnection {
  const statements = new Map<string, { statement: StatementSync; hasRows: boolean }>()
  const prepare = (text: string) => {
    const known = statements.get(text)
    if (known) return known
    if (statements.size >= 500) statements.delete(statements.keys().next().value as string)
    const statement = database.prepare(text)
    const made = { statement, hasRows: statement.columns().length > 0 }
    statements.set(text, made)
    return made
  }
  return {
    async executeQuery<R>({ sql: text, parameters }: { sql: string; parameters: readonly unknown[] }) {
      const { statement, hasRows } = prepare(text)
      const values = parameters as (string | number | null)[]
      if (hasRows) return { rows: statement.all(...values) as R[] }
      const { changes } = statement.run(...values)
      return { rows: [], numAffectedRows: BigInt(changes) }
    },
    // biome-ignore lint/correctness/useYield: nothing streams from an in-process database
    async *streamQuery() {
      throw new Error('streaming is not used')
    },
  }
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
    query_timeout: 10_000,
  })
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => undefined)
  return { dialect: postgresDialect, kysely: new PostgresDialect({ pool }) }
}

/** What went wrong in the engine, in terms that the rest of the code can act on. */
export type DatabaseFailure =
  | { readonly kind: 'unique' | 'foreign_key'; readonly constraint: string }
  | { readonly kind: 'retry' | 'busy' | 'unavailable' }

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
  if (code && /^(08|53|57P)|^ECONN|^EPIPE|^ENOTFOUND/.test(code)) return { kind: 'unavailable' }
  if (/timeout exceeded when trying to connect|Connection terminated/.test(message)) return { kind: 'unavailable' }
  return undefined
}

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
