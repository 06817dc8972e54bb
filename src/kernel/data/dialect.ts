/**
 * Differences between the databases. Only `data/` knows which one it uses; all other code writes portable SQL: 64-bit
 * `integer`, `text`, 0/1 for booleans, JSON as text, timestamps as fixed-width text.
 */
import type { Dialect as KyselyDialect, QueryResult, RawBuilder } from 'kysely'
import type { LateRows } from './late-rows.ts'
import { serverUrls } from './server-urls.ts'
import type { Watch } from './watching.ts'

/** Location of the data. */
export type DatabaseUrl =
  | { readonly engine: 'sqlite'; readonly path: string }
  | { readonly engine: 'postgres'; readonly url: string }

/**
 * Parses `sqlite:PATH`, `memory` or `postgres://...`, also with several servers; undefined for anything else. PostgreSQL
 * parameters after `?` go to the driver, except `prepare=off`, which is for poolers that do not support prepared statements.
 */
export function parseDatabaseUrl(text: string): DatabaseUrl | undefined {
  if (text === 'memory') return { engine: 'sqlite', path: ':memory:' }
  if (text.startsWith('sqlite:') && text.length > 'sqlite:'.length) return { engine: 'sqlite', path: text.slice(7) }
  if (serverUrls(text)) return { engine: 'postgres', url: text }
  return undefined
}

/** The file of a SQLite database; undefined for a database in memory or on a server. */
export function fileOf(url: DatabaseUrl): string | undefined {
  return url.engine === 'sqlite' && url.path !== ':memory:' ? url.path : undefined
}

/** Tells whether the data ends with the process that opened it. */
export function isInMemory(url: DatabaseUrl): boolean {
  return url.engine === 'sqlite' && url.path === ':memory:'
}

/** Returns the location of the data, for the operator: a file, or a server URL without password and parameters. */
export function locationOf(url: DatabaseUrl): string {
  if (url.engine === 'sqlite') return url.path
  const servers = (serverUrls(url.url) ?? []).map((one) => new URL(one))
  return `postgres://${servers.map(({ host }) => host).join(',')}${servers[0]?.pathname ?? ''}`
}

/** The differences between the engines. */
export interface Dialect {
  /** True when other processes may write to the same data at the same time. */
  readonly shared: boolean
  /**
   * Translates a DDL statement for this engine: 64-bit integers, strict tables, tables stored in their key, the id
   * sequence, keys that the engine counts up (`primary key generated`), `create guard NAME on TABLE when CONDITION`, which
   * refuses updates of rows whose `old` values match, and `create retention NAME on TABLE`, which refuses to empty a log and
   * to delete rows whose `time` is less than a day before that of the newest one.
   */
  ddl(statement: string): string
  /** The engine's name for operators. */
  readonly title: string
  /** The size of the data, in bytes. */
  readonly sizeBytes: RawBuilder<number>
  /** The database's clock in whole milliseconds, the only clock for leases and shared limits. */
  readonly nowMs: RawBuilder<number>
  /** Reads that clock where it is in this process. */
  readClock?(): number
  /** Appended to a select: locks the rows until the transaction ends; `skip` leaves out rows locked by others. */
  lockRows(mode: 'update' | 'share' | 'skip'): RawBuilder<unknown>
  /**
   * Locks keys until the transaction ends; waiting transactions are served in order, and `share` locks are held
   * together. Undefined on an engine with a single writer.
   */
  lockKeys(keys: readonly string[], mode?: 'share' | 'update'): RawBuilder<unknown> | undefined
}
/** Migrations declare with this a key that the engine counts up by itself when an insert leaves it out. */
export const generatedKey = /\bprimary key generated\b/
/** Migrations declare a guard with this; each engine translates it. */
export const guardStatement = /^create guard (\w+) on (\w+) when (.*)$/
/** How migrations declare a retention. */
export const retentionStatement = /^create retention (\w+) on (\w+)$/

/** Runs one statement without kysely, synchronously where possible. */
export type Run = (text: string, values: readonly unknown[]) => QueryResult<unknown> | Promise<QueryResult<unknown>>

/** An opened engine: what kysely needs, and direct access for prepared statements. */
export interface DatabaseEngine {
  readonly dialect: Dialect
  /** A handle that reads outside a transaction. */
  readonly kysely: KyselyDialect
  /** Only on SQLite: a read outside a transaction, without kysely's overhead. */
  readonly run?: Run
  /** Only on a SQLite database that is watched. */
  readonly watch?: Watch | undefined
  /** Only on SQLite: statements in the single open write transaction. */
  readonly writer?: {
    readonly kysely: KyselyDialect
    readonly run: Run
    /** Rows that are written before the commit. */
    readonly late: LateRows
    exec(statement: string): void
    /**
     * Puts all commits on disk, for which they do not wait by themselves; undefined for a database in memory. Errors:
     * those of a failing disk.
     */
    sync(): Promise<void> | undefined
    /** How many statements have changed something so far, or may have. One that fails changes nothing. */
    written(): number
    /** The next id as the open transaction sees it, and a setter that takes effect with the commit. */
    readonly nextId: { read(): number; write(next: number): void }
    /** All data as the bytes of a database file. No transaction may be open. */
    image(): Uint8Array
    /** Tells whether a transaction is open: some failures end it on their own. */
    isOpen(): boolean
    close(): void
  }
}
/** A database failure, in terms that the rest of the code can act on. */
export type DatabaseFailure =
  | { readonly kind: 'unique' | 'foreign_key'; readonly constraint: string }
  | { readonly kind: 'retry' | 'stale' | 'busy' | 'timeout' | 'unavailable' | 'damaged' | 'no table' }

/** Thrown for a unique value that a concurrent transaction is writing; handled like a violated unique constraint. */
export class Taken extends Error {
  readonly constraint: string

  constructor(constraint: string) {
    super(`${constraint}: the value is taken`)
    this.constraint = constraint
  }
}

/** Classifies an error of the engine; undefined when it has no meaning here. */
export function databaseFailure(error: unknown): DatabaseFailure | undefined {
  if (!(error instanceof Error)) return undefined
  if (error instanceof Taken) return { kind: 'unique', constraint: error.constraint }
  const { code, errcode, constraint, message } = error as Error & {
    code?: string
    errcode?: number
    constraint?: string
  }
  if (code === 'ERR_SQLITE_ERROR') return sqliteFailure(errcode ?? 0, message)
  if (code === '23505') return { kind: 'unique', constraint: constraint ?? '' }
  if (code === '23503') return { kind: 'foreign_key', constraint: constraint ?? '' }
  if (code === '42P01') return { kind: 'no table' }
  if (code === '40001' || code === '40P01') return { kind: 'retry' }
  // A prepared statement that a migration or a pooler has invalidated.
  if (code === '26000' || (code === '0A000' && message.includes('cached plan'))) return { kind: 'stale' }
  if (code === '57014' || message === 'Query read timeout') return { kind: 'timeout' }
  if (code && /^XX00[12]$/.test(code)) return { kind: 'damaged' }
  if (code && unavailableCodes.test(code)) return { kind: 'unavailable' }
  return unavailableTexts.test(message) ? { kind: 'unavailable' } : undefined
}

/**
 * Tells whether the database itself, rather than the statement, caused the failure: it is unreachable, locked, full,
 * read-only or damaged. The caller may retry once that is over.
 */
export function isTrouble(error: unknown): boolean {
  const kind = databaseFailure(error)?.kind
  return kind === 'unavailable' || kind === 'busy' || kind === 'damaged'
}

/** Connection lost, out of resources, shut down, or read-only after a failover; and errors of the network. */
const unavailableCodes = /^(08|53|57P|25P03$|25006$)|^(ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|E(HOST|NET)UNREACH)/
const unavailableTexts = /timeout exceeded when trying to connect|Connection terminated|not queryable/

/** SQLite names the columns (`UNIQUE constraint failed: firewall.project_id, firewall.name`), not the constraint. */
function sqliteFailure(errcode: number, message: string): DatabaseFailure | undefined {
  if (errcode === 2067 || errcode === 1555) {
    const columns = message.slice(message.lastIndexOf(': ') + 2).split(', ')
    const table = columns[0]?.split('.')[0] ?? ''
    return { kind: 'unique', constraint: [table, ...columns.map((column) => column.split('.')[1]), 'key'].join('_') }
  }
  if (errcode === 1 && message.startsWith('no such table: ')) return { kind: 'no table' }
  if (errcode === 787) return { kind: 'foreign_key', constraint: '' }
  if ((errcode & 0xff) === 5) return { kind: 'busy' }
  if ([11, 26].includes(errcode & 0xff)) return { kind: 'damaged' }
  if ([8, 10, 13, 14].includes(errcode & 0xff)) return { kind: 'unavailable' }
  return undefined
}
