/**
 * Runs actions. A process claims some, does their steps one by one and records each before the next; whoever dies in
 * between is replaced when its lease ends, and whoever comes back late finds its writes refused. A step that fails for
 * good makes the action unwind: the desired state is taken back, the world follows, the action ends as `action_failed`
 * and nothing stays locked.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Database, Transaction } from '../db.ts'
import { databaseFailure } from '../dialect.ts'
import { ApiError } from '../errors.ts'
import { type Faults, noFaults } from '../faults.ts'
import type { Logger } from '../log.ts'
import {
  type ActionDefinition,
  type ActionInput,
  DriverError,
  type Drivers,
  keyOf,
  type StepContext,
} from './define.ts'
import {
  type ActionRow,
  advance,
  claimActions,
  extendLeases,
  finish,
  forgetLeases,
  LeaseLost,
  leaseMs,
  release,
} from './store.ts'

export interface EngineOptions {
  readonly db: Database
  readonly drivers: Drivers
  readonly log: Logger
  readonly definitions: readonly ActionDefinition[]
  readonly faults?: Faults
  /** Milliseconds after which a driver's call counts as failed. */
  readonly callTimeoutMs?: number
  /** Milliseconds before the first repetition of a failed call; doubles each time. */
  readonly retryMs?: number
  readonly leaseMs?: number
  readonly pollMs?: number
}

/** Repetitions of one step before the action gives up. */
const maxAttempts = 5
/** Claims after which an action that keeps ending its worker is given up. */
const maxClaims = 20
/** Actions in progress at the same time in this process. */
const maxInFlight = 64

/** Thrown by a test's fault point: the worker stops as if its process had been killed. */
export class Killed extends Error {}

interface InFlight {
  readonly row: ActionRow
  /** Monotonic time until which the lease surely holds. */
  safeUntil: number
}

export class Engine {
  readonly worker = randomBytes(8).toString('hex')
  readonly #options: Required<EngineOptions>
  readonly #definitions: ReadonlyMap<string, ActionDefinition>
  readonly #inFlight = new Map<number, InFlight & { done: Promise<void> }>()
  readonly #timers: NodeJS.Timeout[] = []
  #claiming: Promise<number> | undefined
  #again = false
  #stopping = false

  constructor(options: EngineOptions) {
    this.#options = { faults: noFaults, callTimeoutMs: 60_000, retryMs: 200, leaseMs, pollMs: 1_000, ...options }
    this.#definitions = new Map(options.definitions.map((definition) => [keyOf(definition), definition]))
  }

  /** Starts claiming: after each commit that starts an action, and by a poll that finds what others left. */
  async start(): Promise<void> {
    const { db, pollMs } = this.#options
    await forgetLeases(db)
    db.listen('actions', () => this.wake())
    this.#timers.push(setInterval(() => this.wake(), pollMs))
    this.#timers.push(setInterval(() => void this.#heartbeat(), this.#options.leaseMs / 3))
    this.wake()
  }

  /** Looks for work soon. */
  wake(): void {
    if (this.#claiming) this.#again = true
    else if (!this.#stopping) void this.#claim()
  }

  /** Resolves when nothing is left that could run now; for tests. */
  async idle(): Promise<void> {
    for (;;) {
      const claimed = await this.#claim()
      const running = [...this.#inFlight.values()].map(({ done }) => done)
      if (claimed === 0 && running.length === 0 && !(await this.#waiting())) return
      await Promise.all(running)
    }
  }

  async #waiting(): Promise<boolean> {
    const { query } = this.#options.db
    const left = query.selectFrom('action').select('id').where('status', '=', 'running').where('run_after', '>', 0)
    return (await left.executeTakeFirst()) !== undefined
  }

  /** Stops claiming, lets steps in progress end for at most `graceMs`, and gives unfinished actions back. */
  async stop(graceMs = 5_000): Promise<void> {
    this.#stopping = true
    for (const timer of this.#timers) clearInterval(timer)
    await this.#claiming
    const steps = Promise.all([...this.#inFlight.values()].map(({ done }) => done))
    const patience = new AbortController()
    await Promise.race([steps, delay(graceMs, undefined, { signal: patience.signal }).catch(() => undefined)])
    patience.abort()
    await Promise.all([...this.#inFlight.values()].map(({ row }) => this.#giveBack(row, 0)))
  }

  #claim(): Promise<number> {
    this.#claiming ??= this.#claimOnce()
      .catch((error: unknown) => {
        this.#options.log.error({ err: error }, 'looking for actions failed')
        return 0
      })
      .finally(() => {
        this.#claiming = undefined
        if (this.#again && !this.#stopping) setImmediate(() => this.wake())
        this.#again = false
      })
    return this.#claiming
  }

  async #claimOnce(): Promise<number> {
    const free = maxInFlight - this.#inFlight.size
    if (free <= 0) return 0
    const safeUntil = performance.now() + this.#options.leaseMs * 0.8
    const rows = await claimActions(this.#options.db, this.worker, free, this.#options.leaseMs)
    for (const row of rows) {
      const flight: InFlight = { row, safeUntil }
      const done = this.#run(flight).finally(() => {
        this.#inFlight.delete(row.id)
        if (this.#inFlight.size < maxInFlight / 2) this.wake()
      })
      this.#inFlight.set(row.id, Object.assign(flight, { done }))
    }
    return rows.length
  }

  async #heartbeat(): Promise<void> {
    const safeUntil = performance.now() + this.#options.leaseMs * 0.8
    try {
      const held = await extendLeases(this.#options.db, this.worker, [...this.#inFlight.keys()], this.#options.leaseMs)
      for (const flight of this.#inFlight.values()) if (held.has(flight.row.id)) flight.safeUntil = safeUntil
    } catch (error) {
      this.#options.log.warn({ err: error }, 'extending leases failed')
    }
  }

  async #run(flight: InFlight): Promise<void> {
    const { row } = flight
    const definition = this.#definitions.get(row.definition)
    try {
      if (!definition) throw new Error(`no definition named ${row.definition}`)
      await new Run(this.#options, definition, flight, () => this.#stopping).proceed()
    } catch (error) {
      if (error instanceof LeaseLost || error instanceof Killed) return
      this.#options.log.error({ err: error, action: row.id, definition: row.definition }, 'an action was interrupted')
      // Whatever it was, the action is still there to be claimed again once things are better.
      await this.#giveBack(row, this.#options.retryMs * 10)
    }
  }

  async #giveBack(row: ActionRow, delayMs: number): Promise<void> {
    try {
      await this.#options.db.transact((tx) => release(tx, row, delayMs))
    } catch (error) {
      if (!(error instanceof LeaseLost))
        this.#options.log.warn({ err: error, action: row.id }, 'its lease has to run out')
    }
  }
}

/** One claimed action on its way, from the step that it has reached. */
class Run {
  readonly #options: Required<EngineOptions>
  readonly #definition: ActionDefinition
  readonly #flight: InFlight
  readonly #stopping: () => boolean
  readonly #context: StepContext<ActionInput>
  #step: number
  #attempts: number

  constructor(
    options: Required<EngineOptions>,
    definition: ActionDefinition,
    flight: InFlight,
    stopping: () => boolean,
  ) {
    const { row } = flight
    this.#options = options
    this.#definition = definition
    this.#flight = flight
    this.#stopping = stopping
    this.#step = row.step
    this.#attempts = row.attempts
    this.#context = {
      actionId: row.id,
      scope: { projectId: row.project_id },
      input: JSON.parse(row.input) as ActionInput,
      query: options.db.query,
      drivers: options.drivers,
    }
  }

  async proceed(): Promise<void> {
    if (this.#flight.row.phase === 'unwinding') return this.#unwind()
    const { steps } = this.#definition
    while (this.#step < steps.length) {
      if (this.#stopping()) return this.#yield(0)
      const step = steps[this.#step]!
      try {
        if (this.#attempts > maxClaims) throw new Error('no worker survives this step')
        await this.#perform(step.name, () => step.run?.(this.#context))
        await this.#record((tx) => step.commit?.(tx, this.#context))
      } catch (error) {
        if (this.#isInterruption(error)) throw error
        if (this.#mayRepeat(error)) return this.#yield(this.#backoffMs())
        return this.#giveUp(error)
      }
      await this.#reach('after-commit', step.name)
    }
  }

  /** Runs one effect on the world, in time and only while the lease surely holds. */
  async #perform(name: string, effect: () => Promise<void> | undefined): Promise<void> {
    await this.#reach('before-effect', name)
    if (performance.now() > this.#flight.safeUntil) throw new LeaseLost('the lease may have ended')
    await inTime(effect(), this.#options.callTimeoutMs)
    await this.#reach('after-effect', name)
  }

  #reach(moment: string, name: string): Promise<void> | void {
    return this.#options.faults.reach(`${this.#flight.row.definition}#${name}:${moment}`)
  }

  async #record(commit: (tx: Transaction) => Promise<void> | undefined): Promise<void> {
    const { row } = this.#flight
    const done = this.#step + 1
    const total = this.#definition.steps.length
    await this.#options.db.transact(async (tx) => {
      await commit(tx)
      if (done === total) await finish(tx, row, { status: 'success', step: done })
      else await advance(tx, row, { step: done, attempts: 1, progress: Math.floor((done / total) * 100) })
    })
    this.#step = done
    this.#attempts = 1
  }

  /** Lost leases, killed workers and a database that is away say nothing about the action itself. */
  #isInterruption(error: unknown): boolean {
    if (error instanceof LeaseLost || error instanceof Killed) return true
    if (error instanceof ApiError) return error.code === 'unavailable'
    return databaseFailure(error)?.kind === 'unavailable'
  }

  #mayRepeat(error: unknown): boolean {
    return error instanceof DriverError && error.transient && this.#attempts < maxAttempts
  }

  #backoffMs(): number {
    return this.#options.retryMs * 2 ** (this.#attempts - 1) * (0.75 + Math.random() / 2)
  }

  #yield(delayMs: number): Promise<void> {
    return this.#options.db.transact((tx) => release(tx, this.#flight.row, Math.round(delayMs)))
  }

  async #giveUp(error: unknown): Promise<void> {
    const { row } = this.#flight
    this.#options.log.warn({ err: error, action: row.id, definition: row.definition }, 'an action failed')
    // The text of a bug may hold anything; only what a driver says on purpose is shown.
    const reason = error instanceof DriverError ? error.message : 'an unexpected error happened'
    this.#step++
    await this.#options.db.transact(async (tx) => {
      await advance(tx, row, {
        phase: 'unwinding',
        step: this.#step,
        attempts: 1,
        error_code: 'action_failed',
        error_message: reason,
      })
      await this.#definition.revert?.(tx, this.#context)
    })
    this.#attempts = 1
    await this.#reach('after-commit', 'revert')
    return this.#unwind()
  }

  /** Undoes the steps in reverse, the failed one first: it may have had its effect all the same. */
  async #unwind(): Promise<void> {
    for (; this.#step > 0; this.#step--) {
      const step = this.#definition.steps[this.#step - 1]!
      if (!step.undo) continue
      try {
        await this.#perform(`${step.name}-undo`, () => step.undo?.(this.#context))
      } catch (error) {
        if (this.#isInterruption(error)) throw error
        if (this.#mayRepeat(error)) return this.#yield(this.#backoffMs())
        this.#options.log.error({ err: error, action: this.#flight.row.id, step: step.name }, 'undoing a step failed')
      }
      await this.#options.db.transact((tx) => advance(tx, this.#flight.row, { step: this.#step - 1, attempts: 1 }))
      this.#attempts = 1
      await this.#reach('after-commit', `${step.name}-undo`)
    }
    await this.#options.db.transact((tx) => finish(tx, this.#flight.row, { status: 'error' }))
  }
}

/** A call that takes too long counts as failed for now; its late effect does no harm, because drivers refuse old states. */
async function inTime(effect: Promise<void> | undefined, timeoutMs: number): Promise<void> {
  if (!effect) return
  const timer = new AbortController()
  const late = delay(timeoutMs, undefined, { signal: timer.signal }).then(() => {
    throw new DriverError('the infrastructure did not answer in time', { transient: true })
  })
  late.catch(() => undefined)
  try {
    await Promise.race([effect, late])
  } finally {
    timer.abort()
  }
}
