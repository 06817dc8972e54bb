/**
 * Claims work and has it done, so much at once in all and of each Project: one that has a thousand things waiting leaves
 * places for the others. It looks when a commit tells of work, when something has ended, and by a poll that finds what
 * other processes left.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../data/db.ts'
import type { Logger } from '../process/log.ts'
import type { ProjectId } from '../scope.ts'
import type { Search, WorkRow } from './leases.ts'

/** A claim, for as long as it is held. */
export interface Claim<Row extends WorkRow> {
  readonly row: Row
  /** Monotonic time just before it was asked for. */
  readonly askedAt: number
  /** Monotonic time until which the lease surely holds. */
  safeUntil: number
}

export interface WorkerOptions<Row extends WorkRow> {
  readonly db: Database
  readonly log: Logger
  /** What it works on, and the channel on which commits tell of it, by id. */
  readonly name: 'actions' | 'mail'
  readonly leaseMs: number
  readonly pollMs: number
  /** How many are under way at once in this process: in all, and of one Project. */
  readonly atOnce: number
  readonly perProject: number
  /** How many places are free before all that waits is looked through, which takes longer the more there is. */
  readonly leastRoom: number
  claim(limit: number, search: Search): Promise<readonly Row[]>
  /** Makes the claims last longer and returns those that still hold; without it they outlast the work. */
  extend?(ids: readonly number[]): Promise<ReadonlySet<number>>
  /** Does the work. It throws nothing: what becomes of a failure is its own matter. */
  work(claim: Claim<Row>): Promise<void>
}

interface UnderWay<Row extends WorkRow> extends Claim<Row> {
  done: Promise<void>
}

/** Most work that is remembered to be claimed soon; when there is more, all that waits is looked through. */
const mostHeardOf = 200

export class Worker<Row extends WorkRow> {
  readonly #options: WorkerOptions<Row>
  readonly #underWay = new Set<UnderWay<Row>>()
  #poll: NodeJS.Timeout | undefined
  #pulse: NodeJS.Timeout | undefined
  #claiming: Promise<void> | undefined
  /** How many claims there ever were. */
  #taken = 0
  /** Whether there may be more to claim than was claimed last time. */
  #more = false
  /** What may be claimed by now. What nobody has told of is found by the poll. */
  readonly #heardOf = new Set<number>()
  /** Whether something was left because its Project had no place. */
  #passedOver = false
  #stopping = false

  constructor(options: WorkerOptions<Row>) {
    this.#options = options
  }

  get isStopping(): boolean {
    return this.#stopping
  }

  start(): void {
    const { db, name, pollMs, leaseMs, extend } = this.#options
    db.listen(name, (id) => (id === '' ? this.wake() : this.#hear(Number(id))))
    this.#poll = setInterval(() => this.wake(), pollMs)
    if (extend) this.#pulse = setInterval(() => void this.#heartbeat(), leaseMs / 3)
    this.wake()
  }

  /** Looks through all that waits, soon. */
  wake(): void {
    this.#more = true
    this.#goOn()
  }

  /** Does all that may be claimed by now, and waits for it. */
  async drain(): Promise<void> {
    for (;;) {
      const taken = this.#taken
      // A claim that is under way may have looked before the latest work was there.
      await this.#claiming
      this.#more = true
      await this.#claim()
      if (this.#underWay.size > 0) await this.landed()
      else if (this.#taken === taken) return
    }
  }

  /** Resolves when all that is under way has ended. */
  async landed(): Promise<void> {
    await Promise.all([...this.#underWay].map(({ done }) => done))
  }

  /** Stops claiming and lets work end for at most `graceMs`; returns what is still under way then. */
  async stop(graceMs: number): Promise<readonly Row[]> {
    this.#stopping = true
    clearInterval(this.#poll)
    const patience = new AbortController()
    const { signal } = patience
    const settled = Promise.resolve(this.#claiming).then(() => this.landed())
    await Promise.race([settled, delay(graceMs, undefined, { signal }).catch(() => undefined)])
    patience.abort()
    clearInterval(this.#pulse)
    return [...this.#underWay].map(({ row }) => row)
  }

  #hear(id: number): void {
    if (this.#heardOf.size < mostHeardOf) this.#heardOf.add(id)
    else this.#more = true
    this.#goOn()
  }

  /** Claims if there is something to claim and room for it. */
  #goOn(): void {
    if (this.#claiming || this.#stopping) return
    const room = this.#room()
    if (this.#mayLookThrough(room) || (this.#heardOf.size > 0 && room > 0)) void this.#claim()
  }

  #mayLookThrough(room: number): boolean {
    return this.#more && room >= this.#options.leastRoom
  }

  /** How many may be claimed without any Project having more than its part. */
  #room(): number {
    const { atOnce, perProject } = this.#options
    const busiest = Math.max(0, ...[...this.#byProject().values()].filter((some) => some < perProject))
    return Math.min(atOnce - this.#underWay.size, perProject - busiest)
  }

  #byProject(): Map<ProjectId, number> {
    const counts = new Map<ProjectId, number>()
    for (const { row } of this.#underWay) counts.set(row.project_id, (counts.get(row.project_id) ?? 0) + 1)
    return counts
  }

  #claim(): Promise<void> {
    const { log, name } = this.#options
    this.#claiming ??= this.#claimOnce()
      .catch((error: unknown) => {
        log.error({ err: error }, `looking for ${name} failed`)
        // The poll looks again.
        this.#more = false
      })
      .finally(() => {
        this.#claiming = undefined
        setImmediate(() => this.#goOn())
      })
    return this.#claiming
  }

  async #claimOnce(): Promise<void> {
    const { perProject, claim } = this.#options
    const room = this.#room()
    const among = this.#mayLookThrough(room) ? undefined : [...this.#heardOf]
    if (room <= 0 || this.#stopping || among?.length === 0) return
    this.#heardOf.clear()
    if (!among) this.#more = false
    const askedAt = performance.now()
    const underWay = [...this.#underWay].map(({ row }) => row.id)
    const full = [...this.#byProject()].filter(([, some]) => some >= perProject)
    const fullProjects = full.map(([project]) => project)
    const rows = await claim(room, { underWay, among, fullProjects })
    if (rows.length >= room) this.#more = true
    // Nobody tells again of what a full Project has waiting.
    if (full.length > 0) this.#passedOver = true
    for (const row of rows) this.#take({ row, askedAt, safeUntil: this.#safeUntil(askedAt), done: Promise.resolve() })
  }

  /** A lease starts when the database hears of it, which is after it was asked for: this errs on the safe side. */
  #safeUntil(askedAt: number): number {
    return askedAt + this.#options.leaseMs * 0.8
  }

  #take(claim: UnderWay<Row>): void {
    this.#taken++
    this.#underWay.add(claim)
    claim.done = this.#options.work(claim).finally(() => {
      this.#underWay.delete(claim)
      this.#more ||= this.#passedOver
      this.#passedOver = false
      this.#goOn()
    })
  }

  async #heartbeat(): Promise<void> {
    const safeUntil = this.#safeUntil(performance.now())
    try {
      const held = await this.#options.extend!([...this.#underWay].map(({ row }) => row.id))
      for (const claim of this.#underWay) if (held.has(claim.row.id)) claim.safeUntil = safeUntil
    } catch (error) {
      this.#options.log.warn({ err: error }, 'extending leases failed')
    }
  }
}
