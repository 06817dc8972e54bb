/** Transactions on PostgreSQL: each holds a connection from its first statement to its commit. */
import { setTimeout as delay } from 'node:timers/promises'
import type { QueryResult } from 'kysely'
import { begin, commitOn, explained, NotCommitted, rollBackOn, type SharedCommits } from './commits.ts'
import { isScript, type Outcome, type Statement } from './connection.ts'
import { insideTransaction, late, type Queries, unavailable } from './db.ts'
import { databaseFailure, isTrouble } from './dialect.ts'
import type { Waiting } from './merging.ts'
import { type Proof, settle } from './outcomes.ts'
import type { Connections, Lease } from './pool.ts'
import { kyselyOn } from './postgres-kysely.ts'
import { runsPrepared } from './prepared.ts'

/** State shared by all transactions. */
interface Shared {
  readonly connections: Connections
  readonly commits: SharedCommits
}

/**
 * One transaction. Its first statement leases a connection and carries BEGIN; postponed statements are sent with the
 * next one, at the latest with COMMIT. After a failed statement, no further statement is sent.
 */
class OpenTransaction {
  readonly query: Queries
  readonly #connections: Connections
  readonly #commits: SharedCommits
  #lease: Lease | undefined
  /** Statements to send before the next one. */
  #ahead: Waiting[] = [begin]
  /** Settles when no statement is in flight. */
  #sending: Promise<unknown> = Promise.resolve()
  #isOver = false
  #failure: { readonly error: unknown } | undefined

  constructor({ connections, commits }: Shared) {
    this.#connections = connections
    this.#commits = commits
    this.query = kyselyOn(async () => ({ run: (statement) => this.#run(statement), release: () => undefined }))
    runsPrepared(this.query, {
      engine: 'postgres',
      run: (text, values) => this.#run({ text, values }),
      postpone: (compiled, values, along) => {
        this.#refuseIfOver()
        this.#ahead.push({ text: compiled.sql, values, compiled, ...along })
      },
    })
  }

  /** Errors: those of `commitOn`. */
  async commit(): Promise<void> {
    this.#isOver = true
    await this.#sending
    if (this.#failure) throw new NotCommitted('a failed statement was ignored', { cause: this.#failure.error })
    const last = this.#ahead.splice(0)
    // What waits for locks must not hold up a group, whose other members hold their own.
    if (last.some(({ locks }) => locks)) this.#lease ??= await this.#connections.lease()
    if (this.#lease) await commitOn(this.#lease.connection, last)
    else if (last.length > 1) await this.#commits.run(last.slice(1))
  }

  /** Never rejects. */
  async rollBack(): Promise<void> {
    this.#isOver = true
    await this.#sending
    if (this.#lease) await rollBackOn(this.#lease.connection)
  }

  release(): void {
    this.#lease?.release()
  }

  #refuseIfOver(): void {
    if (this.#isOver) throw new Error('the transaction has ended')
  }

  async #run(statement: Statement): Promise<QueryResult<unknown>> {
    this.#refuseIfOver()
    const sent = this.#sending.then(() => this.#runNext(statement))
    this.#sending = sent.catch(() => undefined)
    return sent
  }

  async #runNext(statement: Statement): Promise<QueryResult<unknown>> {
    if (isScript(statement)) await this.#do(this.#ahead.splice(0))
    return (await this.#do([...this.#ahead.splice(0), statement])).at(-1)!
  }

  async #do(unit: readonly Waiting[]) {
    if (this.#failure) throw this.#failure.error
    const outcome = await this.#send(unit)
    if (outcome.error === undefined) return outcome.results
    const error = explained(unit, outcome)
    this.#failure = { error }
    throw error
  }

  async #send(unit: readonly Statement[]): Promise<Outcome> {
    try {
      this.#lease ??= await this.#connections.lease()
    } catch (error) {
      this.#failure = { error }
      throw error
    }
    return this.#lease.connection.send(unit)
  }
}

/** Runs `work` in one transaction, without retries. It may say how to tell whether it came about. */
export async function transactOnce<T>(
  shared: Shared,
  work: (query: Queries, provenBy: (proof: Proof) => void) => Promise<T>,
): Promise<T> {
  const transaction = new OpenTransaction(shared)
  let proof: Proof | undefined
  const provenBy = (given: Proof) => {
    proof = given
  }
  let value: T | undefined
  let failure: unknown
  try {
    value = await insideTransaction.run(transaction, () => work(transaction.query, provenBy))
    await transaction.commit()
    return value
  } catch (error) {
    await transaction.rollBack()
    // Nothing is written without COMMIT, so the caller may be told to retry.
    const kind = databaseFailure(error)?.kind
    failure = isTrouble(error) ? unavailable(error) : kind === 'timeout' ? late(error) : error
  } finally {
    transaction.release()
  }
  await settle(shared.connections, failure, proof)
  return value as T
}

/** Retries an attempt that was certainly rolled back for a temporary reason. */
export async function withRetries<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      const kind = databaseFailure(error)?.kind
      if ((kind !== 'retry' && kind !== 'stale') || tries === 4) throw error
      await delay(Math.random() * 20 * tries)
    }
  }
}
