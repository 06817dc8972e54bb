/**
 * The database as seen by the rest of the code: `query` for single reads, `transact` for writes and consistent reads.
 * The work of a transaction may run more than once, so it must not change anything outside the database; side effects
 * go through `afterCommit`.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Kysely } from 'kysely'
import type { Note } from '../audit/note.ts'
import { ApiError } from '../errors.ts'
import { onOwnBehalf } from '../process/behalf.ts'
import { type Dialect, isTrouble } from './dialect.ts'
import type { Follow } from './follow.ts'
import type { Watch } from './watching.ts'

/**
 * Table names to row types, for the tables of the installation. Each module adds its own tables by declaration merging,
 * so the kernel names none of them.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface Tables {}

/**
 * The same for tables of Projects; every row has a `project_id`. `Queries` does not know these tables: statements on
 * them come from `scoped` (data/scoped.ts), which adds the Project.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface TenantTables {}

export interface EveryTable extends Tables, TenantTables {}

/** A handle that runs statements, inside or outside a transaction. */
export type Queries = Kysely<Tables>

/** One open transaction. */
export interface Transaction {
  readonly query: Queries
  /** A handle that reads operators' settings. They may be read outside the transaction, which saves it a round trip. */
  readonly settings: Queries
  readonly dialect: Dialect
  /** The time of this transaction, in milliseconds since the epoch. */
  readonly now: number
  /** The request that it is part of, for the audit log. */
  readonly note?: Note
  /** The span that it is, which is handed on to the actions that it starts; missing where nothing is traced. */
  readonly traceparent?: string
  /** Hears what becomes of resources; missing where nobody follows them. */
  readonly follow?: Follow
  /**
   * Ids for new rows, in increasing order, never repeated but possibly with gaps. Fresh ids are greater than all ids
   * drawn before the call, for callers that hold a lock under which the order of ids matters.
   */
  drawIds(count: number, options?: { readonly fresh: boolean }): Promise<readonly number[]>
  /** Says that ids will be drawn, one or more. On PostgreSQL they then come with what the transaction looks up first. */
  expectIds(count?: number): void
  /** Runs `work` once the commit is durable and before `transact` resolves; never after a rollback. */
  afterCommit(work: () => void): void
  /** Notifies the listeners of `topic` once the commit is durable. */
  signal(topic: Topic, subject?: string): void
  readonly takers: Readonly<Partial<Takers>>
  /** Says how to tell later whether this transaction came about, should the answer to its commit be lost. */
  provenBy?(proof: (query: Queries) => Promise<boolean>): void
}

/**
 * Who does work in this process and has it in the transaction that makes it ready, instead of being told of it. Modules
 * declare theirs here.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface Takers {}

/** Topics that a commit announces within its process. Only a hint: other processes find the rows by polling. */
export type Topic = 'actions' | 'changes' | 'dns' | 'mail' | 'person mail'

export interface TransactOptions {
  /**
   * False for writes that mean nothing without a later transaction of the caller: a power failure may lose them until
   * something durable is written. On SQLite they wait neither for the disk nor behind durable transactions.
   */
  readonly isDurable?: boolean
}

export interface Database {
  readonly dialect: Dialect
  /** The location of the data, for the operator; without a password. */
  readonly location: string
  /** A handle that reads outside a transaction. Throws inside `transact`, where it would deadlock. */
  readonly query: Queries
  /** Runs `work` in one transaction; rolls back and rejects with what `work` threw. */
  transact<T>(work: (tx: Transaction) => Promise<T>, options?: TransactOptions): Promise<T>
  /** Calls `listener` whenever `topic` is announced; returns a function that unsubscribes. */
  listen(topic: Topic, listener: (subject: string) => void): () => void
  /** Those of all transactions from now on. */
  readonly takers: Partial<Takers>
  /** Calls `listener` with each error that the database itself caused; returns a function that unsubscribes. */
  onTrouble(listener: (error: unknown) => void): () => void
  /** All that is committed, as the bytes of a database file; undefined on PostgreSQL. */
  readonly image: (() => Promise<Uint8Array>) | undefined
  /** Reads something and tells later whether it may be different by then; undefined unless it was opened for that. */
  readonly watch: Watch | undefined
  /** Missing where there is only one connection. */
  readonly pool?: (() => PoolState) | undefined
  close(): Promise<void>
}

/** The connections of a process to its database. */
export interface PoolState {
  readonly most: number
  readonly open: number
  readonly idle: number
  /** The number of those that wait for one. */
  readonly waiting: number
}

/** The same database with other transactions, for whoever adds something to each of them. */
export function withTransact(db: Database, transact: Database['transact']): Database {
  return {
    dialect: db.dialect,
    location: db.location,
    image: db.image,
    watch: db.watch,
    pool: db.pool,
    get query() {
      return db.query
    },
    transact,
    listen: (topic, listener) => db.listen(topic, listener),
    takers: db.takers,
    onTrouble: (listener) => db.onTrouble(listener),
    close: () => db.close(),
  }
}

/** The reply to a commit was lost, so the work may or may not be done: nobody may blindly repeat it. */
export class OutcomeUnknown extends Error {
  /** The server of PostgreSQL that was asked, as `Connection.server` names it. */
  readonly server: string | undefined

  constructor(message?: string, options: { readonly cause?: unknown; readonly server?: string } = {}) {
    super(message, options)
    this.server = options.server
  }
}

/** Listeners in this process, by topic, and who takes work before they hear of it. */
export class Listeners {
  readonly takers: Partial<Takers> = {}
  readonly #all = new Map<Topic, Set<(subject: string) => void>>()

  add(topic: Topic, listener: (subject: string) => void): () => void {
    const some = this.#all.get(topic) ?? new Set()
    this.#all.set(topic, some.add(listener))
    return () => void some.delete(listener)
  }

  tell(topic: Topic, subject: string): void {
    const listeners = this.#all.get(topic)
    if (!listeners?.size) return
    onOwnBehalf(() => {
      for (const listener of listeners) listener(subject)
    })
  }
}

/** Listeners for trouble with the database. */
export class TroubleListeners {
  readonly #all = new Set<(error: unknown) => void>()

  add(listener: (error: unknown) => void): () => void {
    this.#all.add(listener)
    return () => void this.#all.delete(listener)
  }

  /** Passes on errors that the database itself caused, and no others. */
  tell(error: unknown): void {
    if (isTrouble(error)) for (const listener of this.#all) listener(error)
  }
}

/** A transaction handle that collects callbacks in `followUps` until the commit. */
export function handle(
  parts: Pick<Transaction, 'query' | 'settings' | 'dialect' | 'now' | 'drawIds' | 'expectIds' | 'provenBy'>,
  followUps: (() => void)[],
  heard: Listeners,
): Transaction {
  return {
    ...parts,
    afterCommit: (work) => void followUps.push(work),
    signal: (topic, subject = '') => void followUps.push(() => heard.tell(topic, subject)),
    takers: heard.takers,
  }
}

/** Set while a transaction's work runs; on SQLite it identifies the transaction. */
export const insideTransaction = new AsyncLocalStorage<object>()

/** Throws inside a transaction, where a read outside it would deadlock. */
export function guarded(queries: Queries): Queries {
  if (insideTransaction.getStore()) throw new Error('use the transaction handle inside transact')
  return queries
}

/** One id for a new row. */
export async function drawId(tx: Transaction): Promise<number> {
  return (await tx.drawIds(1))[0]!
}

/** 503 `unavailable`. */
export function unavailable(cause: unknown): ApiError {
  return new ApiError('unavailable', 'the database is not available', { cause })
}

/** 504 `timeout`, which official clients retry: only for requests that have certainly written nothing. */
export function late(cause: unknown): ApiError {
  return new ApiError('timeout', 'the database did not answer in time', { cause })
}
