/**
 * Runs actions. A process claims some, does their steps one by one and records each before the next; whoever dies in
 * between is replaced when its lease ends, and whoever comes back late finds its writes refused. A step that fails for
 * good makes the action unwind: the desired state is taken back, the world follows, the action ends as `action_failed`
 * and nothing stays locked.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { onBehalfOf } from '../behalf.ts'
import { type Database, OutcomeUnknown, type Transaction } from '../db.ts'
import { databaseFailure, isTrouble } from '../dialect.ts'
import { ApiError } from '../errors.ts'
import { type Faults, noFaults } from '../faults.ts'
import type { Logger } from '../log.ts'
import type { Secrets } from '../secrets/secrets.ts'
import {
  advance,
  type Claimant,
  claimActions,
  countUnknown,
  extendLeases,
  finish,
  forgetLeases,
  LeaseLost,
  leaseMs,
  nextRepetition,
  type Release,
  release,
} from './claims.ts'
import {
  type ActionDefinition,
  type ActionInput,
  DriverError,
  type Drivers,
  type Failure,
  keyOf,
  type StepContext,
} from './define.ts'
import { inTime } from './in-time.ts'
import type { ActionRow } from './store.ts'

export interface EngineOptions {
  readonly db: Database
  readonly drivers: Drivers
  readonly secrets: Secrets
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

/** Attempts at one step before the action gives up. */
const maxAttempts = 5
/** Claims after which a step that keeps ending its worker is given up. */
const maxClaims = 20
/** Actions in progress at the same time in this process. */
const maxInFlight = 64

/** Most actions that are remembered to be claimed soon; when there are more, all that wait are looked through. */
const mostHeardOf = 200

/** Thrown by a test's fault point: the worker stops as if its process had been killed. */
export class Killed extends Error {}

interface InFlight {
  readonly row: ActionRow
  /** Monotonic time until which the lease surely holds. */
  safeUntil: number
  done: Promise<void>
}

export class Engine {
  readonly worker = randomBytes(8).toString('hex')
  readonly #options: Required<EngineOptions>
  readonly #definitions: ReadonlyMap<string, ActionDefinition>
  readonly #claimant: Claimant
  readonly #inFlight = new Set<InFlight>()
  #poll: NodeJS.Timeout | undefined
  #pulse: NodeJS.Timeout | undefined
  #claiming: Promise<number> | undefined
  /** How many actions were ever claimed. */
  #taken = 0
  /** Whether there may be more to claim than was claimed last time. */
  #more = false
  /** Actions that may be claimed by now. What nobody has told of is found by the poll. */
  readonly #heardOf = new Set<number>()
  #stopping = false

  constructor(options: EngineOptions) {
    this.#options = { faults: noFaults, callTimeoutMs: 60_000, retryMs: 200, leaseMs, pollMs: 1_000, ...options }
    this.#definitions = new Map(options.definitions.map((definition) => [keyOf(definition), definition]))
    this.#claimant = {
      worker: this.worker,
      definitions: [...this.#definitions.keys()],
      leaseMs: this.#options.leaseMs,
    }
  }

  /** Starts claiming: after each commit that starts an action, and by a poll that finds what others left. */
  async start(): Promise<void> {
    const { db, pollMs, log } = this.#options
    await forgetLeases(db)
    const unknown = await countUnknown(db, this.#claimant.definitions)
    if (unknown.size > 0) log.warn({ actions: Object.fromEntries(unknown) }, 'these actions need another version')
    db.listen('actions', (action) => this.#hear(Number(action)))
    this.#poll = setInterval(() => this.wake(), pollMs)
    this.#pulse = setInterval(() => void this.#heartbeat(), this.#options.leaseMs / 3)
    this.wake()
  }

  /** Looks through all that waits, soon. */
  wake(): void {
    this.#more = true
    this.#goOn()
  }

  #hear(action: number): void {
    if (this.#heardOf.size < mostHeardOf) this.#heardOf.add(action)
    else this.#more = true
    this.#goOn()
  }

  /** Claims if there is something to claim and room for it. */
  #goOn(): void {
    if (this.#claiming || this.#stopping) return
    if (this.#mayLookThrough || (this.#heardOf.size > 0 && this.#room > 0)) void this.#claim()
  }

  get #room(): number {
    return maxInFlight - this.#inFlight.size
  }

  /** Looking through all that waits is for many at a time: it takes longer the more there are. */
  get #mayLookThrough(): boolean {
    return this.#more && this.#room >= maxInFlight / 2
  }

  /** Resolves when nothing is left that this engine could run, now or after a pause; for tests. */
  async idle(): Promise<void> {
    for (;;) {
      const taken = this.#taken
      // A claim that is under way may have looked before the latest action was there.
      await this.#claiming
      this.#more = true
      await this.#claim()
      if (this.#inFlight.size > 0) {
        await this.#landed()
        continue
      }
      if (this.#taken > taken) continue
      const pause = await nextRepetition(this.#options.db, this.#claimant.definitions)
      if (pause === undefined || this.#stopping) return
      await delay(Math.max(1, pause))
    }
  }

  /**
   * Stops claiming, lets steps in progress end for at most `graceMs`, and gives unfinished actions back. What is still
   * under way then comes too late to be recorded.
   */
  async stop(graceMs = 5_000): Promise<void> {
    this.#stopping = true
    clearInterval(this.#poll)
    const patience = new AbortController()
    const { signal } = patience
    const settled = Promise.resolve(this.#claiming).then(() => this.#landed())
    await Promise.race([settled, delay(graceMs, undefined, { signal }).catch(() => undefined)])
    patience.abort()
    clearInterval(this.#pulse)
    await Promise.all([...this.#inFlight].map(({ row }) => this.#giveBack(row, { delayMs: 0, counts: false })))
  }

  #underWay(): number[] {
    return [...this.#inFlight].map(({ row }) => row.id)
  }

  async #landed(): Promise<void> {
    await Promise.all([...this.#inFlight].map(({ done }) => done))
  }

  #claim(): Promise<number> {
    this.#claiming ??= this.#claimOnce()
      .catch((error: unknown) => {
        this.#options.log.error({ err: error }, 'looking for actions failed')
        // The poll looks again.
        this.#more = false
        return 0
      })
      .finally(() => {
        this.#claiming = undefined
        setImmediate(() => this.#goOn())
      })
    return this.#claiming
  }

  async #claimOnce(): Promise<number> {
    const room = this.#room
    const among = this.#mayLookThrough ? undefined : [...this.#heardOf]
    if (room <= 0 || this.#stopping || among?.length === 0) return 0
    this.#heardOf.clear()
    if (!among) this.#more = false
    const safeUntil = this.#safeUntil()
    const underWay = this.#underWay()
    const rows = await claimActions(this.#options.db, this.#claimant, room, { underWay, ...(among ? { among } : {}) })
    if (rows.length >= room) this.#more = true
    for (const row of rows) this.#take({ row, safeUntil, done: Promise.resolve() })
    return rows.length
  }

  /** A lease starts when the database hears of it, which is after the question was put: this errs on the safe side. */
  #safeUntil(): number {
    return performance.now() + this.#options.leaseMs * 0.8
  }

  #take(flight: InFlight): void {
    this.#taken++
    this.#inFlight.add(flight)
    flight.done = this.#run(flight).finally(() => {
      this.#inFlight.delete(flight)
      this.#goOn()
    })
  }

  async #heartbeat(): Promise<void> {
    const safeUntil = this.#safeUntil()
    try {
      const held = await extendLeases(this.#options.db, this.#claimant, this.#underWay())
      for (const flight of this.#inFlight) if (held.has(flight.row.id)) flight.safeUntil = safeUntil
    } catch (error) {
      this.#options.log.warn({ err: error }, 'extending leases failed')
    }
  }

  async #run(flight: InFlight): Promise<void> {
    const { row } = flight
    try {
      const run = new Run(this.#options, this.#definitions.get(row.definition)!, flight, () => this.#stopping)
      await onBehalfOf(row.project_id, () => run.proceed())
    } catch (error) {
      if (error instanceof LeaseLost || error instanceof Killed) return
      this.#options.log.error({ err: error, action: row.id, definition: row.definition }, 'an action was interrupted')
      // Whatever it was, the action is still there to be claimed again once things are better.
      await this.#giveBack(row, { delayMs: this.#options.retryMs * 10, counts: !isInterruption(error) })
    }
  }

  async #giveBack(row: ActionRow, how: Release): Promise<void> {
    try {
      await this.#options.db.transact((tx) => release(tx, row, how))
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
      secrets: options.secrets,
    }
  }

  async proceed(): Promise<void> {
    if (this.#flight.row.phase === 'unwinding') return this.#unwind()
    const { steps } = this.#definition
    while (this.#step < steps.length) {
      if (this.#stopping()) return this.#release({ delayMs: 0, counts: false })
      const step = steps[this.#step]!
      try {
        const result = await this.#perform(step.name, () => step.run?.(this.#context))
        await this.#record((tx) => step.commit?.(tx, this.#context, result))
      } catch (error) {
        if (isInterruption(error)) throw error
        if (this.#mayRepeat(error)) return this.#release({ delayMs: this.#backoffMs(), counts: true })
        return this.#giveUp(error)
      }
      await this.#reach('after-commit', step.name)
    }
  }

  /** Runs one effect on the world, in time and only while the lease surely holds. */
  async #perform(name: string, effect: () => Promise<void> | undefined): Promise<void> {
    if (this.#attempts > maxClaims) throw new Error('no worker survives this step')
    await this.#reach('before-effect', name)
    if (performance.now() > this.#flight.safeUntil) throw new LeaseLost('the lease may have ended')
    const result = await inTime(effect(), this.#options.callTimeoutMs)
    await this.#reach('after-effect', name)
    return result
  }

  #reach(moment: string, name: string): Promise<void> | void {
    return this.#options.faults.reach(`${this.#flight.row.definition}#${name}:${moment}`)
  }

  async #record(commit: (tx: Transaction) => Promise<void> | undefined): Promise<void> {
    const { row } = this.#flight
    const done = this.#step + 1
    const total = this.#definition.steps.length
    await this.#options.db.transact(async (tx) => {
      if (done === total) return finish(tx, row, { status: 'success', step: done }, commit)
      // First of all, so that a worker that comes too late neither waits for rows nor trips over what it finds.
      await advance(tx, row, { step: done, attempts: 1, progress: Math.floor((done / total) * 100) })
      await commit(tx)
    })
    this.#step = done
    this.#attempts = 1
  }

  #mayRepeat(error: unknown): boolean {
    return error instanceof DriverError && error.transient && this.#attempts < maxAttempts
  }

  #backoffMs(): number {
    return this.#options.retryMs * 2 ** (this.#attempts - 1) * (0.75 + Math.random() / 2)
  }

  #release(how: Release): Promise<void> {
    return this.#options.db.transact((tx) => release(tx, this.#flight.row, how))
  }

  async #giveUp(error: unknown): Promise<void> {
    const { row } = this.#flight
    // What a driver says on purpose, of what a tenant asked for, comes from no place in the code.
    const reason =
      error instanceof DriverError ? { code: error.code, reason: error.message, cause: error.cause } : { err: error }
    this.#options.log.warn({ ...reason, action: row.id, definition: row.definition }, 'an action failed')
    // The text of a bug may hold anything; only what a driver says on purpose is shown.
    const failure: Failure =
      error instanceof DriverError
        ? { code: error.code, message: error.message }
        : { code: 'action_failed', message: 'an unexpected error happened' }
    // The failed step is undone as well: it may have had its effect all the same.
    const step = this.#step + 1
    const shown = { error_code: failure.code, error_message: failure.message }
    // An end without its revert is wrong, but a resource that stays locked for ever is worse.
    const reverts = this.#attempts <= 2 * maxClaims
    if (!reverts) this.#options.log.error({ action: row.id }, 'no worker survives its revert, which is left out')
    await this.#options.db.transact(async (tx) => {
      await advance(tx, row, { phase: 'unwinding', step, attempts: 1, ...shown })
      if (reverts) await this.#definition.revert?.(tx, this.#context, failure)
    })
    this.#step = step
    this.#attempts = 1
    await this.#reach('after-commit', 'revert')
    return this.#unwind()
  }

  /** Undoes the steps in reverse. One that cannot be undone is left to the reconciler of its family. */
  async #unwind(): Promise<void> {
    for (; this.#step > 0; this.#step--) {
      if (this.#stopping()) return this.#release({ delayMs: 0, counts: false })
      const step = this.#definition.steps[this.#step - 1]!
      if (!step.undo) continue
      try {
        const result = await this.#perform(`${step.name}-undo`, () => step.undo?.(this.#context))
        await this.#recordUndone((tx) => step.undone?.(tx, this.#context, result))
      } catch (error) {
        if (isInterruption(error)) throw error
        if (this.#mayRepeat(error)) return this.#release({ delayMs: this.#backoffMs(), counts: true })
        this.#options.log.error({ err: error, action: this.#flight.row.id, step: step.name }, 'undoing a step failed')
        await this.#recordUndone()
      }
      await this.#reach('after-commit', `${step.name}-undo`)
    }
    await this.#options.db.transact((tx) => finish(tx, this.#flight.row, { status: 'error' }))
  }

  async #recordUndone(commit?: (tx: Transaction) => Promise<void> | undefined): Promise<void> {
    await this.#options.db.transact(async (tx) => {
      await advance(tx, this.#flight.row, { step: this.#step - 1, attempts: 1 })
      await commit?.(tx)
    })
    this.#attempts = 1
  }
}

/** Lost leases, killed workers and a database that is in trouble say nothing about the action itself. */
function isInterruption(error: unknown): boolean {
  if (error instanceof LeaseLost || error instanceof Killed || error instanceof OutcomeUnknown) return true
  if (error instanceof ApiError) return error.code === 'unavailable' || error.code === 'timeout'
  const kind = databaseFailure(error)?.kind
  return isTrouble(error) || kind === 'retry' || kind === 'timeout'
}
