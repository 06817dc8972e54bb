/**
 * Claims actions and has them run. Whoever dies meanwhile is replaced when its lease ends, and whoever comes back late
 * finds its writes refused.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { onBehalfOf } from '../process/behalf.ts'
import { noFaults } from '../process/faults.ts'
import {
  type Claimant,
  claimActions,
  countUnknown,
  extendLeases,
  forgetLeases,
  LeaseLost,
  leaseMs,
  nextRepetition,
  type Release,
  release,
} from './claims.ts'
import { type ActionDefinition, keyOf } from './define.ts'
import { type Claim, isInterruption, Killed, Run, type RunOptions } from './run.ts'
import type { ActionRow } from './tables.ts'

export interface EngineOptions
  extends Omit<RunOptions, 'faults' | 'callTimeoutMs' | 'retryMs'>,
    Partial<Pick<RunOptions, 'faults' | 'callTimeoutMs' | 'retryMs'>> {
  readonly definitions: readonly ActionDefinition[]
  readonly leaseMs?: number
  readonly pollMs?: number
}

/** Actions in progress at the same time in this process. */
const maxInFlight = 64

/** Most actions that are remembered to be claimed soon; when there are more, all that wait are looked through. */
const mostHeardOf = 200

interface InFlight extends Claim {
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
