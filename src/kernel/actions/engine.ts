/**
 * Runs waiting actions (kernel/queue/worker.ts). When a worker dies, another one takes over after its lease expires;
 * writes of a worker that comes back late are refused by the fence.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { AtOnce } from '../process/at-once.ts'
import { onBehalfOf } from '../process/behalf.ts'
import { channels } from '../process/channels.ts'
import { noFaults, Postponed } from '../process/faults.ts'
import { processName } from '../process/identity.ts'
import { inSpan, type SpanStart, type Tracer, tracer } from '../process/tracing.ts'
import { isTakenOver, LeaseLost, type Release, type Search } from '../queue/leases.ts'
import { type Claim, Worker } from '../queue/worker.ts'
import {
  type Claimant,
  claimActions,
  claimAtOnce,
  countUnknown,
  extendLeases,
  forgetLeases,
  heldFrom,
  leaseMs,
  nextRepetition,
  projectsWithActions,
  release,
} from './claims.ts'
import { type ActionDefinition, keyOf } from './define.ts'
import { type Durations, instant } from './durations.ts'
import { isInterruption, Killed, Run, type RunOptions } from './run.ts'
import { type ActionRow, type ActionTaker, loggedAction } from './tables.ts'

export interface EngineOptions
  extends Omit<RunOptions, 'faults' | 'callTimeoutMs' | 'retryMs'>,
    Partial<Pick<RunOptions, 'faults' | 'callTimeoutMs' | 'retryMs'>> {
  readonly definitions: readonly ActionDefinition[]
  readonly leaseMs?: number
  readonly pollMs?: number
  /** The time that an action takes besides its work; none by default. */
  readonly durations?: Durations
}

/** Limits of concurrent actions in this process: in total and for one Project. */
const atOnce = 128
const perProject = 64

export class Engine {
  /** Holders of leases are named by it, so that an operator finds the process. */
  readonly worker = `${processName}:${randomBytes(4).toString('hex')}`
  readonly #options: Required<EngineOptions>
  readonly #definitions: ReadonlyMap<string, ActionDefinition>
  #claimant: Claimant
  readonly #queue: Worker<ActionRow>
  #isStarted = false

  constructor(given: EngineOptions) {
    const { callTimeoutMs = 60_000 } = given.drivers
    const defaults = { faults: noFaults, callTimeoutMs, retryMs: 200, leaseMs, pollMs: 1_000, durations: instant }
    const options = { ...defaults, ...given }
    const { db, log, pollMs } = options
    this.#options = options
    this.#definitions = new Map(options.definitions.map((definition) => [keyOf(definition), definition]))
    const definitions = [...this.#definitions.keys()]
    const { durations, faults } = options
    const longestPauseMs = Math.max(durations.longestMs, faults.longestMs ?? 0)
    const longestMs = Math.max(60_000, 2 * options.leaseMs, longestPauseMs + 60_000)
    this.#claimant = { worker: this.worker, definitions, leaseMs: options.leaseMs, longestMs }
    this.#queue = new Worker({
      ...{ db, log, name: 'actions', leaseMs: options.leaseMs, pollMs },
      ...{ atOnce, perProject, leastRoom: perProject / 2 },
      projects: (after, limit) => projectsWithActions(db, after, limit),
      claim: (limit, search) => claimActions(db, this.#claimant, limit, this.#beside(search)),
      extend: (ids) => extendLeases(db, this.#claimant, ids),
      giveBack: (row) => this.#giveBack(row, { counts: false }),
      work: (claim) => this.#run(claim),
    })
  }

  /** Leaves out what is held. */
  #beside(search: Search): Search {
    const held = this.#held
    return held.length === 0 ? search : { ...search, underWay: [...(search.underWay ?? []), ...held] }
  }

  get #held(): readonly number[] {
    return [...(this.#options.faults.held ?? [])]
  }

  /** Starts claiming. A commit that starts an action triggers it; polling finds actions of other processes. */
  async start(): Promise<void> {
    this.#isStarted = true
    const { db, log } = this.#options
    await forgetLeases(db)
    const unknown = await countUnknown(db, this.#claimant.definitions)
    if (unknown.size > 0)
      log.warn({ actions: Object.fromEntries(unknown) }, 'these actions need another version of Wolke')
    // Another process could start some later where there are others.
    this.#claimant = { ...this.#claimant, knowsAll: unknown.size === 0 && !db.dialect.shared }
    this.#queue.start()
    // Other processes have their share where there are some, and what is held is left to whoever holds it.
    const { readClock } = db.dialect
    if (readClock && this.#claimant.knowsAll && this.#options.faults.held === undefined) {
      db.takers.actions = this.#taker(readClock)
    }
  }

  #taker(readClock: () => number): ActionTaker {
    const queue = this.#queue
    return {
      placesFor: (projectId) => queue.placesFor(projectId),
      held: () => ({ ...heldFrom(this.#claimant, readClock()), fence: 1, attempts: 1 }),
      begin: (tx, rows) => queue.begin(tx, rows, performance.now()),
      take: async (tx, projectId, ids) => {
        const places = queue.placesFor(projectId)
        if (places === 0) return ids
        const askedAt = performance.now()
        queue.begin(tx, await claimAtOnce(tx, this.#claimant, ids.slice(0, places)), askedAt)
        return ids.slice(places)
      },
    }
  }

  get isStarted(): boolean {
    return this.#isStarted
  }

  /** The number of actions that this process works on. */
  get underWay(): number {
    return this.#queue.underWay
  }

  /** Looks for waiting actions soon. */
  wake(): void {
    this.#queue.wake()
  }

  /** Runs all actions that can be claimed now, and waits for them. */
  drain(): Promise<void> {
    return this.#queue.drain()
  }

  /** Runs the actions that were announced, and waits for them and for what they start. */
  settle(): Promise<void> {
    return this.#queue.settle()
  }

  /** Runs actions soon whose pauses have ended. */
  goOn(ids: readonly number[]): void {
    for (const id of ids) this.#queue.hear(id)
  }

  /** Resolves when this engine has no action left to run, now or after a backoff; for tests. */
  async idle(): Promise<void> {
    for (;;) {
      await this.#queue.drain()
      const pause = await nextRepetition(this.#options.db, this.#claimant.definitions, this.#held)
      if (this.#queue.isStopping) return
      // An action claimed since then has no pause, and still has to run.
      if (pause === undefined && !(await this.#queue.hasWork())) return
      await delay(Math.max(1, pause ?? 0))
    }
  }

  /**
   * Stops claiming, lets steps in progress finish for at most `graceMs`, and releases unfinished actions. Steps that
   * are still running after that can no longer record their results.
   */
  async stop(graceMs = 5_000): Promise<void> {
    const left = await this.#queue.stop(graceMs)
    await Promise.all(left.map((row) => this.#giveBack(row, { delayMs: 0, counts: false })))
  }

  async #run(claim: Claim<ActionRow>): Promise<void> {
    const { row } = claim
    if (channels.action.hasSubscribers && isTakenOver(row)) {
      channels.action.publish({ command: row.command, event: 'takeover' })
    }
    // An action that has paused before has taken its time.
    const takesMs = row.run_after === 0 ? this.#options.durations.of(row) : 0
    if (takesMs > 0) return this.#giveBack(row, { delayMs: takesMs, counts: false })
    try {
      const run = new Run(this.#options, this.#definitions.get(row.definition)!, claim, () => this.#queue.isStopping)
      await (tracer ? traced(tracer, row, run) : onBehalfOf(row.project_id, () => run.proceed()))
    } catch (error) {
      if (error instanceof LeaseLost || error instanceof Killed) return
      if (error instanceof Postponed) return this.#giveBack(row, { delayMs: error.delayMs, counts: false })
      this.#options.log.error({ err: error, ...loggedAction(row) }, 'an action was interrupted')
      // Whatever the error was, the action can be claimed again later.
      await this.#giveBack(row, { delayMs: this.#options.retryMs * 10, counts: !isInterruption(error) })
    }
  }

  async #giveBack(row: ActionRow, how: Release): Promise<void> {
    try {
      await this.#options.db.transact((tx) => release(tx, row, how))
    } catch (error) {
      if (!(error instanceof LeaseLost))
        this.#options.log.warn(
          { err: error, ...loggedAction(row) },
          'an action could not be released; its lease has to expire',
        )
    }
  }
}

/** Runs an action from its present step on, as a span below the one in which it was started. */
function traced(by: Tracer, row: ActionRow, run: Run): AtOnce<void> {
  const attributes = {
    'wolke.action.id': row.id,
    'wolke.action.command': row.command,
    'wolke.action.step': row.step,
    'wolke.action.claim': row.fence,
    'wolke.project.id': row.project_id,
  }
  const parent = { traceparent: row.traceparent ?? undefined }
  const start: SpanStart = { name: `action ${row.command}`, attributes, parent }
  return inSpan(by, start, () => onBehalfOf(row.project_id, () => run.proceed()))
}
