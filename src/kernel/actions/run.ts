/**
 * Runs one claimed action, step by step; each step is recorded before the next one starts. When a step fails
 * permanently, the action unwinds: the desired state is reverted, the infrastructure follows, and the action ends with
 * the error.
 */
import { type Database, OutcomeUnknown, type Transaction } from '../data/db.ts'
import { databaseFailure, isTrouble } from '../data/dialect.ts'
import { ApiError } from '../errors.ts'
import { type ActionMessage, channels } from '../process/channels.ts'
import { type Faults, Postponed } from '../process/faults.ts'
import type { Logger } from '../process/log.ts'
import { inSpan, tracer } from '../process/tracing.ts'
import { backoffMs, LeaseLost, type Release } from '../queue/leases.ts'
import type { Claim } from '../queue/worker.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { startAttempt } from './attempt.ts'
import { advance, finish, release } from './claims.ts'
import {
  type ActionDefinition,
  type ActionError,
  type ActionInput,
  DriverError,
  type Drivers,
  type StepContext,
} from './define.ts'
import { type ActionRow, loggedAction } from './tables.ts'

export interface RunOptions {
  readonly db: Database
  readonly drivers: Drivers
  readonly secrets: Secrets
  readonly log: Logger
  readonly faults: Faults
  /** Timeout of a driver call, in milliseconds. */
  readonly callTimeoutMs: number
  /** Backoff before the first retry of a failed call, in milliseconds; doubles with each retry. */
  readonly retryMs: number
}

/** Attempts at one step before the action gives up. */
const maxAttempts = 5
/** Claims after which a step that keeps killing its worker is given up. */
const maxClaims = 20

/** Thrown at a test's fault point: the worker stops as if its process had been killed. */
export class Killed extends Error {}

/** One claimed action, from the step that it has reached. */
export class Run {
  readonly #options: RunOptions
  readonly #definition: ActionDefinition
  readonly #claim: Claim<ActionRow>
  readonly #stopping: () => boolean
  readonly #context: StepContext<ActionInput>
  /** The write in progress of a driver's report on the step. */
  #reporting: Promise<void> | undefined
  #isListening = false
  #progress: number
  #step: number
  #attempts: number

  constructor(options: RunOptions, definition: ActionDefinition, claim: Claim<ActionRow>, stopping: () => boolean) {
    const { row } = claim
    this.#options = options
    this.#definition = definition
    this.#claim = claim
    this.#stopping = stopping
    this.#step = row.step
    this.#attempts = row.attempts
    this.#progress = row.progress
    this.#context = {
      actionId: row.id,
      scope: { projectId: row.project_id },
      input: JSON.parse(row.input) as ActionInput,
      query: options.db.query,
      drivers: options.drivers,
      secrets: options.secrets,
      report: () => undefined,
    }
  }

  async proceed(): Promise<void> {
    if (this.#claim.row.phase === 'unwinding') return this.#unwind()
    const { steps } = this.#definition
    while (this.#step < steps.length) {
      if (this.#stopping()) return this.#release({ delayMs: 0, counts: false })
      const step = steps[this.#step]!
      try {
        const result = await this.#perform(step.name, (drivers) => step.run?.({ ...this.#reported(), drivers }))
        await this.#record((tx) => step.commit?.(tx, this.#context, result))
      } catch (error) {
        if (isInterruption(error)) throw error
        if (this.#mayRepeat(error)) return this.#repeatLater()
        return this.#giveUp(error)
      }
      await this.#reach('after-commit', step.name)
    }
  }

  /** The context of the next step, whose reports count until the step has ended. */
  #reported(): StepContext<ActionInput> {
    const [step, total] = [this.#step, this.#definition.steps.length]
    const report = (share: number) => {
      // The last percent is the end of the step, which is recorded with it.
      const progress = Math.floor(((step + Math.min(Math.max(share, 0), 0.99)) / total) * 100)
      if (!this.#isListening || step !== this.#step || !(progress > this.#progress)) return
      this.#progress = progress
      this.#reporting ??= this.#show()
    }
    return { ...this.#context, report }
  }

  /** Shows the newest progress, and what came meanwhile. It matters to nobody enough to fail for it. */
  async #show(): Promise<void> {
    try {
      for (let shown = -1; shown < this.#progress && this.#isListening; ) {
        const progress = this.#progress
        await this.#options.db.transact((tx) => advance(tx, this.#claim.row, { progress }))
        shown = progress
      }
    } catch (error) {
      this.#options.log.debug({ err: error, action: this.#claim.row.id }, 'progress was not recorded')
    } finally {
      this.#reporting = undefined
    }
  }

  /** Runs one effect on the infrastructure, only while the lease is certain to hold. */
  async #perform(name: string, effect: (drivers: Drivers) => Promise<void> | undefined): Promise<void> {
    if (this.#attempts > maxClaims) throw new Error('this step keeps killing its worker')
    await this.#reach('before-effect', name)
    if (performance.now() > this.#claim.safeUntil) throw new LeaseLost('the lease may have ended')
    const attempt = startAttempt(this.#options.drivers, this.#options.callTimeoutMs)
    const call = async () => effect(attempt.drivers)
    const by = tracer
    const traced = by ? async () => inSpan(by, { name: `step ${name}` }, call) : call
    const result = await this.#listen(traced).finally(attempt.end)
    await this.#reach('after-effect', name)
    return result
  }

  /** Waits for a call, and for what it has reported: what comes later counts no more. */
  async #listen<T>(call: () => Promise<T>): Promise<T> {
    this.#isListening = true
    try {
      return await call()
    } finally {
      this.#isListening = false
      await this.#reporting
    }
  }

  #reach(moment: string, name: string): Promise<void> | void {
    const { row } = this.#claim
    return this.#options.faults.reach(`${row.definition}#${name}:${moment}`, row)
  }

  async #record(commit: (tx: Transaction) => Promise<void> | undefined): Promise<void> {
    const { row } = this.#claim
    const done = this.#step + 1
    const total = this.#definition.steps.length
    await this.#options.db.transact(async (tx) => {
      if (done === total) return finish(tx, row, { status: 'success', step: done }, commit)
      // The fence is checked first, so that a late worker neither waits for rows nor fails on changed data.
      await advance(tx, row, { step: done, attempts: 1, progress: Math.floor((done / total) * 100) })
      await commit(tx)
    })
    this.#step = done
    this.#attempts = 1
    if (done === total) this.#tell('success')
  }

  #mayRepeat(error: unknown): boolean {
    return error instanceof DriverError && error.transient && this.#attempts < maxAttempts
  }

  async #repeatLater(): Promise<void> {
    await this.#release({ delayMs: backoffMs(this.#options.retryMs, this.#attempts), counts: true })
    this.#tell('retry')
  }

  #tell(event: ActionMessage['event']): void {
    if (channels.action.hasSubscribers) channels.action.publish({ command: this.#claim.row.command, event })
  }

  #release(how: Release): Promise<void> {
    return this.#options.db.transact((tx) => release(tx, this.#claim.row, how))
  }

  async #giveUp(error: unknown): Promise<void> {
    const { row } = this.#claim
    // A driver error describes the tenant's request, so it is logged without a stack trace.
    const reason =
      error instanceof DriverError ? { code: error.code, reason: error.message, cause: error.cause } : { err: error }
    this.#options.log.warn({ ...reason, ...loggedAction(row) }, 'an action failed')
    // The message of a bug may contain anything; only messages of drivers are shown to tenants.
    const failure: ActionError =
      error instanceof DriverError
        ? { code: error.code, message: error.message }
        : { code: 'action_failed', message: 'an unexpected error happened' }
    tracer?.current()?.fail(failure.code)
    // The failed step is undone as well, because it may have taken effect.
    const step = this.#step + 1
    const shown = { error_code: failure.code, error_message: failure.message }
    // Ending an action without its revert is wrong, but a resource that stays locked for ever is worse.
    const reverts = this.#attempts <= 2 * maxClaims
    if (!reverts)
      this.#options.log.error(loggedAction(row), 'the revert of an action keeps killing workers and is skipped')
    await this.#options.db.transact(async (tx) => {
      await advance(tx, row, { phase: 'unwinding', step, attempts: 1, ...shown })
      if (reverts) await this.#definition.revert?.(tx, this.#context, failure)
    })
    this.#step = step
    this.#attempts = 1
    this.#tell('compensation')
    await this.#reach('after-commit', 'revert')
    return this.#unwind()
  }

  /** Undoes the steps in reverse order. A step that cannot be undone is left to the reconciler of its family. */
  async #unwind(): Promise<void> {
    for (; this.#step > 0; this.#step--) {
      if (this.#stopping()) return this.#release({ delayMs: 0, counts: false })
      const step = this.#definition.steps[this.#step - 1]!
      if (!step.undo) continue
      try {
        const result = await this.#perform(`${step.name}-undo`, (drivers) => step.undo?.({ ...this.#context, drivers }))
        await this.#recordUndone((tx) => step.undone?.(tx, this.#context, result))
      } catch (error) {
        if (isInterruption(error)) throw error
        if (this.#mayRepeat(error)) return this.#repeatLater()
        this.#options.log.error(
          { err: error, ...loggedAction(this.#claim.row), step: step.name },
          'undoing a step failed',
        )
        await this.#recordUndone()
      }
      await this.#reach('after-commit', `${step.name}-undo`)
    }
    await this.#options.db.transact((tx) => finish(tx, this.#claim.row, { status: 'error' }))
    this.#tell('error')
  }

  async #recordUndone(commit?: (tx: Transaction) => Promise<void> | undefined): Promise<void> {
    await this.#options.db.transact(async (tx) => {
      await advance(tx, this.#claim.row, { step: this.#step - 1, attempts: 1 })
      await commit?.(tx)
    })
    this.#attempts = 1
  }
}

const interruptions = [LeaseLost, Killed, Postponed, OutcomeUnknown]

/** Lost leases, killed workers and database trouble say nothing about the action itself. */
export function isInterruption(error: unknown): boolean {
  if (interruptions.some((interruption) => error instanceof interruption)) return true
  if (error instanceof ApiError) return error.code === 'unavailable' || error.code === 'timeout'
  const kind = databaseFailure(error)?.kind
  return isTrouble(error) || kind === 'retry' || kind === 'timeout'
}
