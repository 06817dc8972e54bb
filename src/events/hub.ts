/**
 * Tells who listens what has changed in a Project: resources by the entries of the audit log, and actions. Nothing is
 * written for it. A commit of this process wakes it at once; changes of other processes are found by looking twice a
 * second (docs/adr/0021-audit-log-and-events.md).
 */
import {
  actionsFrom,
  type ChangedAction,
  changedActions,
  lateActions,
  newestAction,
  runningIn,
} from '../kernel/actions/changes.ts'
import { isProjectReset } from '../kernel/audit/project-resets.ts'
import { entriesAfter, firstIdAfter, newestId, resourcesOf } from '../kernel/audit/reading.ts'
import type { AuditRow } from '../kernel/audit/tables.ts'
import type { Database } from '../kernel/data/db.ts'
import type { Listening, StreamEvent } from '../kernel/http/streams/streams.ts'
import { onOwnBehalf } from '../kernel/process/behalf.ts'
import { type Clock, timestamp } from '../kernel/process/clock.ts'
import type { Logger } from '../kernel/process/log.ts'
import type { ProjectId } from '../kernel/scope.ts'
import { type Position, parsePosition, positionText } from './position.ts'

export interface HubOptions {
  readonly db: Database
  readonly clock: Clock
  readonly log: Pick<Logger, 'warn'>
  /** The path of the family whose resources are of a type. */
  readonly familyOf: (type: string) => string
  /** See `Position`. */
  readonly era?: number
  /** The interval at which changes of other processes are looked for, in milliseconds. */
  readonly pollMs?: number
}

type Send = (event: StreamEvent) => void

/** A client's last knowledge of what there is. */
type Was = Pick<Listening, 'lastEventId' | 'awayMs'>

/** A Project that somebody listens to. */
interface Watched {
  /** The number that listen or are about to. */
  members: number
  readonly listeners: Set<Send>
  /** Resolves when it is known of which actions need not be told. */
  known: Promise<void> | undefined
  /** The state last sent of each running action, by id. */
  readonly running: Map<number, string>
  /** Newer actions of which was told that they have ended. */
  readonly ended: Set<number>
}

const defaultPollMs = 500
/** Looks are at least this far apart, in milliseconds. */
const pauseMs = 20
/** The most changes of either kind that a client which comes back is told; one that missed more reads everything anew. */
const mostMissed = 1_000
/** As far back a look goes for entries that were committed late. */
const lateEntries = 1_000
/** The longest absence of a client, in milliseconds, and the largest difference between clocks of processes. */
const longestAwayMs = 3_600_000
const skewMs = 30_000

export class Hub {
  readonly #options: HubOptions
  readonly #watched = new Map<ProjectId, Watched>()
  /** Actions that commits of this process changed since the last look. */
  #touched = new Set<number>()
  #lastEntry = 0
  #lastAction = 0
  /** Entries among the late ones that were told already. */
  readonly #told = new Set<number>()
  #starting: Promise<void> | undefined
  #unlisten: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #poll: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #isWoken = false

  constructor(options: HubOptions) {
    this.#options = options
  }

  /**
   * Tells `send` what changes in a Project, beginning with what a client missed; returns a function that ends it. Whoever
   * could not be told what was missed does not listen.
   */
  async join(project: ProjectId, was: Was, send: Send): Promise<() => void> {
    return onOwnBehalf(async () => {
      const own = this.#enter(project)
      try {
        await this.#starting
        own.known ??= this.#know(project, own)
        await own.known
        own.listeners.add(send)
        await this.#catchUp(project, own, was, send)
      } catch (error) {
        this.#leave(project, own, send)
        throw error
      }
      return () => this.#leave(project, own, send)
    })
  }

  /** The Project, which is watched from now on for somebody who may still have to wait for what is known of it. */
  #enter(project: ProjectId): Watched {
    if (this.#watched.size === 0) this.#starting = this.#start()
    const own = this.#watched.get(project) ?? newlyWatched()
    this.#watched.set(project, own)
    own.members++
    return own
  }

  #leave(project: ProjectId, own: Watched, send: Send): void {
    own.listeners.delete(send)
    own.members--
    if (own.members > 0) return
    this.#watched.delete(project)
    if (this.#watched.size > 0) return
    this.#unlisten?.()
    clearInterval(this.#poll)
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  async #start(): Promise<void> {
    const { db, pollMs = defaultPollMs } = this.#options
    this.#touched.clear()
    this.#unlisten = db.listen('changes', (subject) => this.#hear(subject))
    // A command may change a database in a file, too, but nobody waits for that.
    this.#poll = setInterval(() => this.#wake(), db.dialect.shared ? pollMs : 30 * pollMs)
    this.#lastEntry = (await newestId(db.query)) ?? 0
    this.#lastAction = (await newestAction(db.query)) ?? 0
  }

  async #know(project: ProjectId, { running, ended }: Watched): Promise<void> {
    const { query } = this.#options.db
    for (const action of await runningIn(query, [project])) running.set(action.id, stateOf(action))
    for (const { id, status } of await actionsFrom(query, [project], this.#lastAction - lateActions, mostMissed)) {
      if (status !== 'running') ended.add(id)
    }
  }

  #hear(subject: string): void {
    const [project, action] = subject.split(' ').map(Number)
    if (!this.#watched.has(project as ProjectId)) return
    if (action !== undefined) this.#touched.add(action)
    this.#wake()
  }

  #wake(): void {
    this.#isWoken = true
    if (this.#looking || this.#timer) return
    // Changes that a request commits together are sent together.
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#looking = this.#look()
        .catch((error: unknown) => this.#options.log.warn({ err: error }, 'changes could not be read'))
        .finally(() => {
          this.#looking = undefined
          if (this.#isWoken && this.#watched.size > 0) this.#wake()
        })
    }, pauseMs)
  }

  /** Reads what has changed in all Projects that somebody listens to, and tells it. */
  async #look(): Promise<void> {
    this.#isWoken = false
    const { db } = this.#options
    const projects = [...this.#watched.keys()]
    if (projects.length === 0) return
    const touched = [...this.#touched]
    this.#touched = new Set()
    const isShared = db.dialect.shared
    const after = isShared ? Math.max(0, this.#lastEntry - lateEntries) : this.#lastEntry
    const entries = await entriesAfter(db.query, after, { limit: 10 * mostMissed, projects })
    const actions = await changedActions(db.query, touched)
    if (isShared) actions.push(...(await this.#foundElsewhere(projects)))
    const fresh = entries.filter(({ id }) => id > this.#lastEntry || !this.#told.has(id))
    for (const { id } of fresh) this.#told.add(id)
    this.#lastEntry = Math.max(this.#lastEntry, entries.at(-1)?.id ?? 0)
    for (const id of this.#told) if (id <= this.#lastEntry - lateEntries) this.#told.delete(id)
    this.#tell(fresh, actions)
  }

  /** Actions that other processes may have changed: those that are new, that run, and that no longer do. */
  async #foundElsewhere(projects: readonly ProjectId[]): Promise<ChangedAction[]> {
    const { query } = this.#options.db
    const known = [...this.#watched.values()].flatMap((own) => [...own.running.keys()])
    const running = await runningIn(query, projects)
    const still = new Set(running.map(({ id }) => id))
    const ended = await changedActions(
      query,
      known.filter((id) => !still.has(id)),
    )
    const begun = await actionsFrom(query, projects, this.#lastAction - lateActions, mostMissed)
    return [...running, ...ended, ...begun]
  }

  #tell(entries: readonly AuditRow[], actions: readonly ChangedAction[]): void {
    const renewed = new Set<ProjectId>()
    const events = new Map<ProjectId, string[]>()
    const add = (project: ProjectId, texts: readonly string[]) =>
      events.set(project, [...(events.get(project) ?? []), ...texts])
    for (const entry of entries) {
      if (entry.project_id === null) continue
      add(entry.project_id, inWords(entry))
      if (isProjectReset(entry)) renewed.add(entry.project_id)
    }
    for (const project of renewed) this.#watched.get(project)?.running.clear()
    for (const action of actions) {
      this.#lastAction = Math.max(this.#lastAction, action.id)
      const own = this.#watched.get(action.project_id)
      if (own && isNews(own, action)) add(action.project_id, this.#inActionWords(action))
    }
    for (const { ended } of this.#watched.values()) {
      for (const id of ended) if (id < this.#lastAction - lateActions) ended.delete(id)
    }
    for (const [project, texts] of events) {
      const own = this.#watched.get(project)
      if (!own) continue
      const id = positionText(this.#position(own))
      const told = renewed.has(project) ? [resync] : texts.map((data) => ({ data }))
      for (const event of told) for (const send of own.listeners) send({ id, ...event })
    }
  }

  #position({ running }: Watched): Position {
    return {
      entry: this.#lastEntry,
      action: Math.min(this.#lastAction + 1, ...running.keys()),
      second: Math.floor(this.#options.clock.now() / 1_000),
      era: this.#options.era ?? 0,
    }
  }

  async #positionBefore(awayMs: number, own: Watched): Promise<Position> {
    const { db, clock } = this.#options
    const now = this.#position(own)
    const second = Math.floor((clock.now() - awayMs) / 1_000)
    const next = await firstIdAfter(db.query, timestamp(second * 1_000 - (db.dialect.shared ? skewMs : 0)))
    return { ...now, entry: Math.min(now.entry, next - 1), second }
  }

  /** Tells a client what it missed, or that it has to read everything anew. */
  async #catchUp(project: ProjectId, own: Watched, { lastEventId, awayMs }: Was, send: Send): Promise<void> {
    const id = positionText(this.#position(own))
    const since = lastEventId === undefined ? await this.#positionBefore(awayMs, own) : parsePosition(lastEventId)
    const isNew = lastEventId === undefined && awayMs === 0
    const missed = isNew ? [] : await this.#missedSince(project, since)
    if (missed === undefined) return send({ id, ...resync })
    for (const data of missed) send({ id, data })
    // A client that gets no event before it comes back still knows where it was.
    if (missed.length === 0) send({ id, name: 'ready', data: '{}' })
  }

  /** Returns undefined when that is too much or too long ago. */
  async #missedSince(project: ProjectId, since: Position | undefined): Promise<readonly string[] | undefined> {
    const { db, clock } = this.#options
    const { query } = db
    const away = clock.now() - (since?.second ?? 0) * 1_000
    if (since?.era !== (this.#options.era ?? 0)) return undefined
    if (away > longestAwayMs || away < -longestAwayMs || since.entry > this.#lastEntry) return undefined
    const [entries, actions] = [
      await entriesAfter(query, since.entry - lateEntries, { limit: 2 * mostMissed, projects: [project] }),
      await actionsFrom(query, [project], since.action - lateActions, 2 * mostMissed),
    ]
    if (entries.length === 2 * mostMissed || actions.length === 2 * mostMissed) return undefined
    const ended = timestamp(since.second * 1_000 - skewMs)
    const changed = actions.filter(({ finished }) => finished === null || finished >= ended).reverse()
    const fresh = entries.filter(({ id, time }) => id > since.entry || (db.dialect.shared && time >= ended))
    if (fresh.some(isProjectReset)) return undefined
    if (fresh.length > mostMissed || changed.length > mostMissed) return undefined
    return [...fresh.flatMap(inWords), ...changed.flatMap((action) => this.#inActionWords(action))]
  }

  /** Returns the data of the events about an action: one event for each family whose resources it names. */
  #inActionWords({ id, command, status, progress, resources }: ChangedAction): string[] {
    const byFamily = Map.groupBy(resources, ({ type }) => this.#options.familyOf(type))
    const action = { id, command, status, progress }
    return [...byFamily].map(([family, some]) =>
      JSON.stringify({ family, ids: some.map((resource) => resource.id), action }),
    )
  }
}

/** Lets a client read everything anew. */
const resync = { name: 'resync', data: '{}' } as const

const newlyWatched = (): Watched => ({
  members: 0,
  listeners: new Set(),
  known: undefined,
  running: new Map(),
  ended: new Set(),
})

/** Tells whether a state of an action has not been sent yet, and notes that it is sent now. */
function isNews({ running, ended }: Watched, action: ChangedAction): boolean {
  const { id, status } = action
  if (ended.has(id) || running.get(id) === stateOf(action)) return false
  if (status === 'running') running.set(id, stateOf(action))
  else {
    running.delete(id)
    ended.add(id)
  }
  return true
}

const stateOf = ({ status, progress }: ChangedAction) => `${status} ${progress}`

/** Returns the data of the events about a change; a refused one has none. */
function inWords(entry: AuditRow): string[] {
  if (entry.outcome !== 'ok') return []
  const ids = resourcesOf(entry).filter((one) => typeof one === 'number')
  return [JSON.stringify({ family: entry.family, ids })]
}
