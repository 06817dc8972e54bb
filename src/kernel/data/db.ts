/**
 * The database as the rest of the code sees it: `query` for single reads, `transact` for everything that writes or must
 * be read at one moment. A transaction's work may run more than once, so it changes nothing outside the database; what
 * has to follow a commit goes through `afterCommit`.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Kysely } from 'kysely'
import { ApiError } from '../errors.ts'
import { onOwnBehalf } from '../process/behalf.ts'
import { type Dialect, isTrouble } from './dialect.ts'

/**
 * Table names to row types, for what belongs to the installation. Each slice adds its own tables by declaration merging,
 * so the kernel names none of them.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface Tables {}

/**
 * Likewise for what belongs to Projects; every row has a `project_id`. `Queries` does not know these tables: statements
 * on them come from `scoped` (data/scoped.ts), which adds the Project.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface TenantTables {}

export interface EveryTable extends Tables, TenantTables {}

/** A handle on which statements run, inside or outside a transaction. */
export type Queries = Kysely<Tables>

/** One open transaction. */
export interface Transaction {
  readonly query: Queries
  /** For lookups of what operators set, which may be read beside the transaction to save a round trip in it. */
  readonly settings: Queries
  readonly dialect: Dialect
  /** The clock's time for everything that this transaction does, in milliseconds. */
  readonly now: number
  /**
   * Ids for new rows, in increasing order; holes are allowed, repetition is not. Fresh ones are above all that anybody
   * drew before the call: for those who hold a lock, under which the order of ids means something.
   */
  drawIds(count: number, options?: { readonly fresh: boolean }): Promise<readonly number[]>
  /** Runs `work` once the commit is durable, never when the transaction rolls back; before `transact` resolves. */
  afterCommit(work: () => void): void
  /** Wakes those who listen to `topic`, once the commit is durable, and tells them what it is about. */
  signal(topic: Topic, subject?: string): void
}

/** What a commit can announce to its own process. Only a hint: another process finds the rows by looking. */
export type Topic = 'actions' | 'dns' | 'mail'

export interface TransactOptions {
  /**
   * False for what means nothing before a later transaction of its caller: a loss of power may take it away until
   * something durable is written after it. On SQLite it waits neither for the disk nor in the line of the others.
   */
  readonly isDurable?: boolean
}

export interface Database {
  readonly dialect: Dialect
  /** Where the data lives, in words for the operator; no password is in it. */
  readonly location: string
  /** For reads outside a transaction. Throws inside `transact`, where it would wait for itself. */
  readonly query: Queries
  /** Runs `work` in one transaction; rejects with what `work` threw, after a roll back. */
  transact<T>(work: (tx: Transaction) => Promise<T>, options?: TransactOptions): Promise<T>
  /** Calls `listener` whenever `topic` is announced; what is returned ends that. */
  listen(topic: Topic, listener: (subject: string) => void): () => void
  /** Calls `listener` with each error for which the database itself is the reason; what is returned ends that. */
  onTrouble(listener: (error: unknown) => void): () => void
  close(): Promise<void>
}

/** The answer to a commit got lost, so the work may be done or not: nobody may blindly do it again. */
export class OutcomeUnknown extends Error {}

/** Who wants to hear of which topic, in this process. */
export class Listeners {
  readonly #all = new Map<Topic, Set<(subject: string) => void>>()

  add(topic: Topic, listener: (subject: string) => void): () => void {
    const some = this.#all.get(topic) ?? new Set()
    this.#all.set(topic, some.add(listener))
    return () => void some.delete(listener)
  }

  tell(topic: Topic, subject: string): void {
    onOwnBehalf(() => {
      for (const listener of this.#all.get(topic) ?? []) listener(subject)
    })
  }
}

/** Who wants to hear of trouble with the database. */
export class TroubleListeners {
  readonly #all = new Set<(error: unknown) => void>()

  add(listener: (error: unknown) => void): () => void {
    this.#all.add(listener)
    return () => void this.#all.delete(listener)
  }

  /** Passes on what the database is the reason for, and nothing else. */
  tell(error: unknown): void {
    if (isTrouble(error)) for (const listener of this.#all) listener(error)
  }
}

/** A transaction handle whose follow-ups are collected in `followUps` until the commit. */
export function handle(
  parts: Pick<Transaction, 'query' | 'settings' | 'dialect' | 'now' | 'drawIds'>,
  followUps: (() => void)[],
  heard: Listeners,
): Transaction {
  return {
    ...parts,
    afterCommit: (work) => void followUps.push(work),
    signal: (topic, subject = '') => void followUps.push(() => heard.tell(topic, subject)),
  }
}

/** Set while a transaction's work runs; on SQLite it tells whose. */
export const insideTransaction = new AsyncLocalStorage<object>()

/** Throws inside a transaction, where a read past it would wait for itself. */
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

/** 504 `timeout`, which official clients repeat by themselves: only for what has certainly written nothing. */
export function late(cause: unknown): ApiError {
  return new ApiError('timeout', 'the database did not answer in time', { cause })
}
