/**
 * Claims work and runs it, with limits on concurrency in total and per Project, so that a Project with a thousand items
 * leaves places for others. Where more work waits than there are places, Projects have equal shares of them in turn. It
 * looks for work when a commit announces some, when an item ends, and by polling for work of other processes.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Database, Transaction } from '../data/db.ts'
import { onOwnBehalf } from '../process/behalf.ts'
import type { Logger } from '../process/log.ts'
import type { ProjectId } from '../scope.ts'
import type { ProjectWork, Search } from './leases.ts'

/** A claim, for as long as it is held. */
export interface Claim<Row extends ProjectWork> {
  readonly row: Row
  /** Monotonic time just before the claim was requested. */
  readonly askedAt: number
  /** Monotonic time until which the lease is certain to hold. */
  safeUntil: number
}

export interface WorkerOptions<Row extends ProjectWork> {
  readonly db: Database
  readonly log: Logger
  /** The kind of work, and the topic under which commits announce it by id. */
  readonly name: 'actions' | 'mail' | 'person mail'
  readonly leaseMs: number
  readonly pollMs: number
  /** Limits of concurrent work in this process: in total and for one Project. */
  readonly atOnce: number
  readonly perProject: number
  /**
   * True when Projects take turns, one item each; otherwise the oldest work comes first, within the limit of its
   * Project.
   */
  readonly inTurns?: boolean
  /**
   * Lists Projects that may have waiting work, those after a given one first. With it they share the places equally while
   * more waits than there are places for; without it the oldest work comes first then too.
   */
  projects?(after: ProjectId | undefined, limit: number): Promise<readonly ProjectId[]>
  /** Number of free places required before a scan of all waiting work, whose cost grows with the amount of work. */
  readonly leastRoom: number
  claim(limit: number, search: Search): Promise<readonly Row[]>
  /** Ends a claim so that others may have the row; omitted when none is claimed before it is announced. Must not reject. */
  giveBack?(row: Row): Promise<void>
  /** Extends claims and returns the ids that still hold; omitted when leases outlast the work. */
  extend?(ids: readonly number[]): Promise<ReadonlySet<number>>
  /** Does the work. It must not reject: it handles its own failures. */
  work(claim: Claim<Row>): Promise<void>
}

interface UnderWay<Row extends ProjectWork> extends Claim<Row> {
  /** At first what the work waits for, then its end. */
  done: Promise<unknown> | undefined
}

/** Maximum number of announced ids to remember; beyond it, all waiting work is scanned. */
const mostHeardOf = 200

/** Maximum number of Projects that share places at once; the others have the next turn. */
const mostSharing = 16

export class Worker<Row extends ProjectWork> {
  readonly #options: WorkerOptions<Row>
  readonly #underWay = new Set<UnderWay<Row>>()
  /** How much of it is of each Project. */
  readonly #byProject = new Map<ProjectId, number>()
  #poll: NodeJS.Timeout | undefined
  #pulse: NodeJS.Timeout | undefined
  #claiming: Promise<void> | undefined
  /** Total number of claims so far. */
  #taken = 0
  /** True while there may be more work than the last claim took. */
  #more = false
  /** Announced work that can be claimed. The poll finds work that was not announced. */
  readonly #heardOf = new Set<number>()
  /** True when work was skipped because its Project had no place. */
  #passedOver = false
  /** True while more work waits than there are places, so that Projects share them. */
  #isCrowded = false
  /** How much work has ended since the last scan. */
  #ended = 0
  /** The Project that was the last one to have a share. */
  #lastSharing: ProjectId | undefined
  /** Projects that have had their turn in this round. */
  readonly #served = new Set<ProjectId>()
  #isListening = false
  #stopping = false

  constructor(options: WorkerOptions<Row>) {
    this.#options = options
  }

  get isStopping(): boolean {
    return this.#stopping
  }

  /** The amount of work in progress. */
  get underWay(): number {
    return this.#underWay.size
  }

  start(): void {
    const { db, name, pollMs, leaseMs, extend } = this.#options
    db.listen(name, (id) => (id === '' ? this.wake() : this.hear(Number(id))))
    this.#isListening = true
    this.#poll = setInterval(() => this.wake(), pollMs)
    if (extend) this.#pulse = setInterval(() => void this.#heartbeat(), leaseMs / 3)
    this.wake()
  }

  /** Scans all waiting work soon. */
  wake(): void {
    this.#more = true
    this.#goOn()
  }

  /** Runs all work that can be claimed now, and waits for it. */
  async drain(): Promise<void> {
    for (;;) {
      // Work in progress may free more work when it ends, which a claim before that would not see.
      while (this.#claiming !== undefined || this.#underWay.size > 0) {
        await this.#claiming
        await this.landed()
      }
      const taken = this.#taken
      this.#more = true
      this.#isCrowded = false
      await this.#claim()
      if (this.#taken === taken) return
    }
  }

  /**
   * Waits for the work that was announced, and for what it announces in turn, without a look at all that waits. Work of which
   * nobody was told is left, unless nothing is heard of at all because the worker was not started.
   */
  async settle(): Promise<void> {
    if (!this.#isListening) return this.drain()
    for (;;) {
      this.#goOn()
      if (this.#claiming === undefined && this.#underWay.size === 0) return
      await this.#claiming
      await this.landed()
    }
  }

  /** Tells whether work is in progress, also what is being claimed at the time of the call. */
  async hasWork(): Promise<boolean> {
    await this.#claiming
    return this.#underWay.size > 0
  }

  /** Resolves when all work in progress has ended. */
  async landed(): Promise<void> {
    await Promise.all([...this.#underWay].map(({ done }) => done))
  }

  /** Stops claiming and lets work finish for at most `graceMs`; returns the rows that are still in progress then. */
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

  /** Does work soon that can be claimed by now. */
  hear(id: number): void {
    const isForTurns = this.#options.projects !== undefined && this.#places <= 0
    if (this.#heardOf.size < mostHeardOf && !isForTurns) this.#heardOf.add(id)
    else this.#more = true
    this.#isCrowded ||= isForTurns
    this.#goOn()
  }

  /**
   * How much work of a Project may be claimed in the transaction that makes it ready: as much as there are places, unless
   * other work waits for them.
   */
  placesFor(projectId: ProjectId): number {
    const isAnyWaiting = this.#more || this.#passedOver || this.#heardOf.size > 0 || this.#claiming !== undefined
    return isAnyWaiting || this.#stopping ? 0 : Math.max(0, this.#roomFor(projectId))
  }

  /** Does work that was claimed at a time in a transaction, once that is durable. */
  begin(tx: Transaction, rows: readonly Row[], askedAt: number): void {
    if (rows.length > 0) tx.afterCommit(() => onOwnBehalf(() => this.#begin(rows, askedAt)))
  }

  #roomFor(projectId: ProjectId): number {
    const { atOnce, perProject } = this.#options
    return Math.min(atOnce - this.#underWay.size, perProject - (this.#byProject.get(projectId) ?? 0))
  }

  /** Those who wait for the commit have their answers first. */
  #begin(rows: readonly Row[], askedAt: number): void {
    const answered = new Promise((resolve) => setImmediate(resolve))
    for (const row of rows) {
      // Others may have committed meanwhile.
      if (this.#stopping || this.#roomFor(row.project_id) <= 0) {
        void this.#options.giveBack!(row).then(() => this.hear(row.id))
      } else this.#take({ row, askedAt, safeUntil: this.#safeUntil(askedAt), done: answered })
    }
  }

  /** Claims if there is something to claim and a free place. */
  #goOn(): void {
    const mayFind = this.#more || this.#heardOf.size > 0
    if (!mayFind || this.#claiming || this.#stopping) return
    if (this.#mayLookThrough(this.#room()) || this.#mayAskForHeardOf()) void this.#claim()
  }

  /** In a crowd the room of one Project does not decide, because others may have more. */
  #mayLookThrough(room: number): boolean {
    const { leastRoom } = this.#options
    const isTurn = this.#isCrowded && this.#places > 0 && this.#ended >= leastRoom / 2
    return this.#more && (room >= leastRoom || isTurn)
  }

  /** Announced work is asked for at once, unless few places are left for which earlier work waits too. */
  #mayAskForHeardOf(): boolean {
    const isForTurns = this.#isCrowded && this.#more && this.#places < this.#options.leastRoom
    return this.#heardOf.size > 0 && this.#room() > 0 && !isForTurns
  }

  /** The number of free places. */
  get #places(): number {
    return this.#options.atOnce - this.#underWay.size
  }

  /** Returns the number of rows that may be claimed without any Project exceeding its limit. */
  #room(): number {
    const { atOnce, perProject } = this.#options
    let busiest = 0
    for (const some of this.#byProject.values()) if (some < perProject) busiest = Math.max(busiest, some)
    return Math.min(atOnce - this.#underWay.size, perProject - busiest)
  }

  #count(project: ProjectId, more: 1 | -1): void {
    const count = (this.#byProject.get(project) ?? 0) + more
    if (count === 0) this.#byProject.delete(project)
    else this.#byProject.set(project, count)
  }

  #claim(): Promise<void> {
    const { log, name } = this.#options
    this.#claiming ??= this.#claimOnce()
      .catch((error: unknown) => {
        log.error({ err: error }, `looking for ${name} failed`)
        // The poll tries again.
        this.#more = false
      })
      .finally(() => {
        this.#claiming = undefined
        setImmediate(() => this.#goOn())
      })
    return this.#claiming
  }

  async #claimOnce(): Promise<void> {
    const { inTurns } = this.#options
    const room = this.#room()
    const most = inTurns ? 1 : room
    const scans = this.#mayLookThrough(room)
    if (scans && this.#isCrowded) return this.#shareOut()
    const among = scans ? undefined : [...this.#heardOf].slice(0, inTurns ? mostHeardOf : most)
    if (room <= 0 || this.#stopping || among?.length === 0) return
    if (scans) this.#beginScan()
    for (const id of among ?? []) this.#heardOf.delete(id)
    const fullProjects = this.#fullProjects()
    const rows = await this.#claimed((underWay) => this.#claimNext(most, { underWay, among, fullProjects }))
    // What was heard of and not asked for yet is still known.
    if (rows.length < most || !(scans || inTurns)) return
    this.#more = true
    this.#isCrowded = this.#options.projects !== undefined
  }

  #beginScan(): void {
    this.#more = false
    this.#ended = 0
    this.#heardOf.clear()
  }

  /** Skipped work of a full Project is not announced again, and a place may become free before the answer is there. */
  #fullProjects(): ProjectId[] {
    const { perProject } = this.#options
    const full = [...this.#byProject].filter(([, some]) => some >= perProject)
    if (full.length > 0) this.#passedOver = true
    return full.map(([project]) => project)
  }

  /** Begins what is claimed, and returns it. */
  async #claimed(claim: (underWay: readonly number[]) => Promise<readonly Row[]>): Promise<readonly Row[]> {
    const askedAt = performance.now()
    const rows = await claim([...this.#underWay].map(({ row }) => row.id))
    for (const row of rows) this.#take({ row, askedAt, safeUntil: this.#safeUntil(askedAt), done: undefined })
    return rows
  }

  /** Gives out the free places in equal shares to the Projects whose turn it is, and again to those that use theirs up. */
  async #shareOut(): Promise<void> {
    const { projects, claim } = this.#options
    this.#beginScan()
    const full = new Set(this.#fullProjects())
    const open = await projects!(this.#lastSharing, mostSharing + full.size)
    const others = open.filter((project) => !full.has(project))
    let sharing = others.slice(0, Math.min(mostSharing, this.#places))
    this.#lastSharing = sharing.at(-1)
    // The rest, or what waits behind a pause of all these, has to be looked at too.
    const isRestLeft = others.length > sharing.length || open.length === mostSharing + full.size
    let found = 0
    while (sharing.length > 0 && this.#places > 0) {
      const shares = this.#sharesOf(sharing)
      const rows = await this.#claimed((underWay) => claim(this.#places, { underWay, shares }))
      found += rows.length
      sharing = [...this.#notDone(shares, rows), ...sharing.slice(shares.size)]
    }
    const isAllUsed = this.#places <= 0
    this.#isCrowded = isAllUsed || (isRestLeft ? found > 0 : this.#passedOver)
    this.#more ||= isAllUsed || isRestLeft
  }

  /** Projects that used up their shares, so that more of their work may wait, and that may have further places. */
  #notDone(shares: ReadonlyMap<ProjectId, number>, rows: readonly Row[]): readonly ProjectId[] {
    const counts = Map.groupBy(rows, ({ project_id }) => project_id)
    const used = [...shares].flatMap(([project, most]) => (counts.get(project)?.length === most ? project : []))
    const open = used.filter((project) => (this.#byProject.get(project) ?? 0) < this.#options.perProject)
    if (open.length < used.length) this.#passedOver = true
    return open
  }

  /** Equal shares of the free places, as far as there are enough for all and each Project may have as many. */
  #sharesOf(projects: readonly ProjectId[]): ReadonlyMap<ProjectId, number> {
    const some = projects.slice(0, this.#places)
    const share = Math.floor(this.#places / some.length)
    return new Map(some.map((project) => [project, Math.min(share, this.#roomFor(project))]))
  }

  /** Claims what is next, in turns that of a Project that has not had its turn; a new round begins when there is none. */
  async #claimNext(most: number, search: Search & { readonly fullProjects: ProjectId[] }): Promise<readonly Row[]> {
    const { inTurns, claim } = this.#options
    const fullProjects = [...search.fullProjects, ...this.#served]
    let rows = await claim(most, { ...search, fullProjects })
    if (rows.length === 0 && this.#served.size > 0) {
      this.#served.clear()
      rows = await claim(most, search)
    }
    if (inTurns) for (const { project_id } of rows) this.#served.add(project_id)
    return rows
  }

  /** A lease starts when the database executes the claim, which is after the request: this errs on the safe side. */
  #safeUntil(askedAt: number): number {
    return askedAt + this.#options.leaseMs * 0.8
  }

  #take(claim: UnderWay<Row>): void {
    this.#taken++
    this.#underWay.add(claim)
    this.#count(claim.row.project_id, 1)
    const work = claim.done ? claim.done.then(() => this.#options.work(claim)) : this.#options.work(claim)
    claim.done = work.finally(() => {
      this.#underWay.delete(claim)
      this.#count(claim.row.project_id, -1)
      this.#ended++
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
