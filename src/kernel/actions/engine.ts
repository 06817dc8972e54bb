/**
 * Runs the actions that are waiting (kernel/queue/worker.ts). Whoever dies meanwhile is replaced when its lease ends, and
 * whoever comes back late finds its writes refused.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { onBehalfOf } from '../process/behalf.ts'
import { noFaults } from '../process/faults.ts'
import { LeaseLost, type Release } from '../queue/leases.ts'
import { type Claim, Worker } from '../queue/worker.ts'
import {
  type Claimant,
  claimActions,
  countUnknown,
  extendLeases,
  forgetLeases,
  leaseMs,
  nextRepetition,
  release,
} from './claims.ts'
import { type ActionDefinition, keyOf } from './define.ts'
import { isInterruption, Killed, Run, type RunOptions } from './run.ts'
import type { ActionRow } from './tables.ts'

export interface EngineOptions
  extends Omit<RunOptions, 'faults' | 'callTimeoutMs' | 'retryMs'>,
    Partial<Pick<RunOptions, 'faults' | 'callTimeoutMs' | 'retryMs'>> {
  readonly definitions: readonly ActionDefinition[]
  readonly leaseMs?: number
  readonly pollMs?: number
}

/** Actions under way at the same time in this process, and those of one Project among them. */
const atOnce = 128
const perProject = 64

export class Engine {
  readonly worker = randomBytes(8).toString('hex')
  readonly #options: Required<EngineOptions>
  readonly #definitions: ReadonlyMap<string, ActionDefinition>
  readonly #claimant: Claimant
  readonly #queue: Worker<ActionRow>

  constructor(given: EngineOptions) {
    const options = { faults: noFaults, callTimeoutMs: 60_000, retryMs: 200, leaseMs, pollMs: 1_000, ...given }
    const { db, log, pollMs } = options
    this.#options = options
    this.#definitions = new Map(options.definitions.map((definition) => [keyOf(definition), definition]))
    const definitions = [...this.#definitions.keys()]
    this.#claimant = { worker: this.worker, definitions, leaseMs: options.leaseMs }
    this.#queue = new Worker({
      ...{ db, log, name: 'actions', leaseMs: options.leaseMs, pollMs },
      ...{ atOnce, perProject, leastRoom: perProject / 2 },
      claim: (limit, search) => claimActions(db, this.#claimant, limit, search),
      extend: (ids) => extendLeases(db, this.#claimant, ids),
      work: (claim) => this.#run(claim),
    })
  }

  /** Starts claiming: after each commit that starts an action, and by a poll that finds what others left. */
  async start(): Promise<void> {
    const { db, log } = this.#options
    await forgetLeases(db)
    const unknown = await countUnknown(db, this.#claimant.definitions)
    if (unknown.size > 0) log.warn({ actions: Object.fromEntries(unknown) }, 'these actions need another version')
    this.#queue.start()
  }

  /** Looks through all that waits, soon. */
  wake(): void {
    this.#queue.wake()
  }

  /** Resolves when nothing is left that this engine could run, now or after a pause; for tests. */
  async idle(): Promise<void> {
    for (;;) {
      await this.#queue.drain()
      const pause = await nextRepetition(this.#options.db, this.#claimant.definitions)
      if (pause === undefined || this.#queue.isStopping) return
      await delay(Math.max(1, pause))
    }
  }

  /**
   * Stops claiming, lets steps in progress end for at most `graceMs`, and gives unfinished actions back. What is still
   * under way then comes too late to be recorded.
   */
  async stop(graceMs = 5_000): Promise<void> {
    const left = await this.#queue.stop(graceMs)
    await Promise.all(left.map((row) => this.#giveBack(row, { delayMs: 0, counts: false })))
  }

  async #run(claim: Claim<ActionRow>): Promise<void> {
    const { row } = claim
    try {
      const run = new Run(this.#options, this.#definitions.get(row.definition)!, claim, () => this.#queue.isStopping)
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
