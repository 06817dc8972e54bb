/**
 * What differs between the databases. `data/` alone knows which one it speaks to; everything else writes portable SQL:
 * 64-bit `integer`, `text`, 0/1 for booleans, JSON as text, timestamps as fixed-width text.
 */
import type { Dialect as KyselyDialect, QueryResult, RawBuilder } from 'kysely'

/** Where the data lives. */
export type DatabaseUrl =
  | { readonly engine: 'sqlite'; readonly path: string }
  | { readonly engine: 'postgres'; readonly url: string }

/**
 * Parses `sqlite:PATH`, `memory` or `postgres://...`; undefined when it is none of them. What follows the `?` of the last
 * goes to the driver, but for `prepare=off`: for a pooler that carries no prepared statements.
 */
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

/** Where the data lives, in words for the operator: a file, or a server's URL without its password and options. */
export function locationOf(url: DatabaseUrl): string {
  if (url.engine === 'sqlite') return url.path
  const { host, pathname } = new URL(url.url)
  return `postgres://${host}${pathname}`
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
  /**
   * Makes rivals for the same keys wait until this transaction ends, in the order in which they came; those that `share`
   * one have it together. Undefined where writers are alone anyway.
   */
  lockKeys(keys: readonly string[], mode?: 'share' | 'update'): RawBuilder<unknown> | undefined
}
/** How a schema names a guard; each engine writes it in its own way. */
export const guardStatement = /^create guard (\w+) on (\w+) when (.*)$/

/** Runs one statement past kysely, and at once if it can. */
export type Run = (text: string, values: readonly unknown[]) => QueryResult<unknown> | Promise<QueryResult<unknown>>

/** An opened engine: what kysely needs, and how a failure of the engine reads. */
export interface Engine {
  readonly dialect: Dialect
  /** For reads outside a transaction. */
  readonly kysely: KyselyDialect
  /** Present on SQLite: a read outside a transaction, without what kysely does for each. */
  readonly run?: Run
  /** Present on SQLite: statements inside the one open write transaction. */
  readonly writer?: {
    readonly kysely: KyselyDialect
    readonly run: Run
    exec(statement: string): void
    /** Whether each commit from now on waits for the disk; if not, the next that does takes those before it along. */
    waitForDisk(always: boolean): void
    /** The id that is drawn next, as the open transaction sees it, and what it shall be from the commit on. */
    readonly nextId: { read(): number; write(next: number): void }
    /** Whether a transaction is open: some failures end it without being asked. */
    isOpen(): boolean
    close(): void
  }
}
/** What went wrong in the engine, in terms that the rest of the code can act on. */
export type DatabaseFailure =
  | { readonly kind: 'unique' | 'foreign_key'; readonly constraint: string }
  | { readonly kind: 'retry' | 'stale' | 'busy' | 'timeout' | 'unavailable' | 'damaged' | 'no table' }

/** Fails like a write of a value that must be unique, without having waited for whoever is writing the same. */
export class Taken extends Error {
  readonly constraint: string

  constructor(constraint: string) {
    super(`${constraint}: the value is taken`)
    this.constraint = constraint
  }
}

/** Reads an engine's error; undefined when it is not one of those that have a meaning here. */
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
  // A prepared statement that a change of the schema, or who stands between, has made void.
  if (code === '26000' || (code === '0A000' && message.includes('cached plan'))) return { kind: 'stale' }
  if (code === '57014' || message === 'Query read timeout') return { kind: 'timeout' }
  if (code && /^XX00[12]$/.test(code)) return { kind: 'damaged' }
  if (code && unavailableCodes.test(code)) return { kind: 'unavailable' }
  return unavailableTexts.test(message) ? { kind: 'unavailable' } : undefined
}

/**
 * Whether the database itself, and not the statement, is why nothing happened: it is away, locked, full, read-only or
 * damaged. Whoever asked may ask again once that is over.
 */
export function isTrouble(error: unknown): boolean {
  const kind = databaseFailure(error)?.kind
  return kind === 'unavailable' || kind === 'busy' || kind === 'damaged'
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
  if (errcode === 1 && message.startsWith('no such table: ')) return { kind: 'no table' }
  if (errcode === 787) return { kind: 'foreign_key', constraint: '' }
  if ((errcode & 0xff) === 5) return { kind: 'busy' }
  if ([11, 26].includes(errcode & 0xff)) return { kind: 'damaged' }
  if ([8, 10, 13, 14].includes(errcode & 0xff)) return { kind: 'unavailable' }
  return undefined
}
