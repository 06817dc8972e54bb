/**
 * The embedded data plane as an API server sees it: a driver that has a process of its own do the work, starts it when it
 * is needed, and starts another one when it dies.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type {
  BalancerSeries,
  BalancerState,
  Inventory,
  LoadBalancerDriver,
  Observation,
} from '../../../families/load-balancers/driver.ts'
import type { Clock } from '../../../kernel/process/clock.ts'
import { attempt } from '../errors.ts'
import { historyOf } from '../history.ts'
import { lastWords, launch, type PlaneFolder, placeIn } from './process/launch.ts'
import { Link, type LinkEvents, LinkLost } from './process/link.ts'
import { type Method, type Methods, settingsOf } from './process/wire.ts'
import type { Report } from './report.ts'

/** A log such as pino's. */
export type EmbeddedLog = Readonly<Record<Report['level'], (fields: object, message: string) => void>>

export interface EmbeddedOptions {
  /** A folder of its own, for this user alone; it is created when it is missing. */
  readonly directory: string
  /** Added to the ports that are listened on. */
  readonly portOffset: number
  readonly log: EmbeddedLog
  /** The time of the API; that of this machine unless given. */
  readonly clock?: Clock
}

export type EmbeddedDriver = LoadBalancerDriver & {
  /** Says goodbye: the last one ends the process, and waits for that. */
  close(): Promise<void>
}

/** How long a process may take to say goodbye, in milliseconds. */
const goodbyeMs = 3_000
/** How often a call is repeated when processes die. */
const mostAttempts = 3
/** Processes that die this soon, in milliseconds, are not replaced at once: the next one may have the same fate. */
const shortLifeMs = 1_000
const waitMs = 5_000

/**
 * Opens the driver. Nothing is started before the first balancer is applied. Errors: of the file system; a directory that
 * others can read.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedDriver> {
  return new EmbeddedClient(options)
}

class EmbeddedClient implements EmbeddedDriver {
  readonly #options: EmbeddedOptions
  readonly #place: PlaneFolder
  /** What was handed over, for the next process. */
  readonly #newest = new Map<number, BalancerState>()
  #link: Link | undefined
  #opening: Promise<Link | undefined> | undefined
  #epoch: string | undefined
  #connectedAt = 0
  /** How many processes in a row died soon. */
  #shortLives = 0
  readonly #closing = new AbortController()

  constructor(options: EmbeddedOptions) {
    this.#options = options
    this.#place = placeIn(options.directory)
  }

  async apply(wanted: BalancerState): Promise<void> {
    const state = withoutPrivate(wanted)
    const known = this.#newest.get(state.id)
    if (!known || known.generation <= state.generation) this.#newest.set(state.id, state)
    await this.#ask('apply', state)
  }

  async remove(id: number, generation: number | null): Promise<void> {
    const known = this.#newest.get(id)
    if (known && (generation === null || known.generation <= generation)) this.#newest.delete(id)
    const answer = await this.#ask('remove', id, generation)
    if (answer === undefined) historyOf(this.#place.directory, id).remove()
  }

  async observe(ids: readonly number[]): Promise<Map<number, Observation>> {
    return new Map(await this.#ask('observe', ids))
  }

  async measure(
    id: number,
    series: BalancerSeries,
    moments: readonly number[],
    step: number,
  ): Promise<Map<number, number>> {
    return new Map(await this.#ask('measure', id, series, moments, step))
  }

  async inventory(): Promise<Inventory> {
    return (await this.#ask('inventory')) ?? { epoch: 'not started', balancers: [] }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    const link = this.#link ?? (await this.#opening?.catch(() => undefined))
    if (!link) return
    // A process that is gone needs no goodbye, and one that stands still gets no more than this.
    const patience = setTimeout(() => link.close(), goodbyeMs)
    await link.ask('leave').catch(orLost)
    await link.closed
    clearTimeout(patience)
  }

  /** Asks the process, or the next one when it dies meanwhile; undefined when there is none, and nothing to do for one. */
  #ask<M extends Method>(method: M, ...args: Methods[M]['args']): Promise<Methods[M]['result'] | undefined> {
    return attempt(() => this.#askSome(method, ...args))
  }

  async #askSome<M extends Method>(method: M, ...args: Methods[M]['args']): Promise<Methods[M]['result'] | undefined> {
    for (let attempt = 1; ; attempt++) {
      try {
        const link = await this.#connect()
        return await link?.ask(method, ...args)
      } catch (error) {
        if (!(error instanceof LinkLost) || attempt === mostAttempts) throw error
      }
    }
  }

  async #connect(): Promise<Link | undefined> {
    this.#closing.signal.throwIfAborted()
    if (this.#link?.isOpen) return this.#link
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  /** Connects to the process, and starts it when there is something to do for it. */
  async #open(): Promise<Link | undefined> {
    const link = (await this.#find()) ?? (this.#newest.size > 0 ? await this.#start() : undefined)
    if (!link) return undefined
    this.#link = link
    this.#connectedAt = performance.now()
    const { clock } = this.#options
    if (clock) this.#tell(link, 'setClock', clock.now() - Date.now())
    const { epoch } = link.greeting
    // Whoever opened this one hands over what it is about; it knows nothing of what the one before it had.
    if (this.#epoch !== undefined && this.#epoch !== epoch) {
      for (const state of this.#newest.values()) this.#tell(link, 'apply', state)
    }
    this.#epoch = epoch
    return link
  }

  /** Ends a process of another version, or with another port offset. Throws when others use it. */
  async #find(): Promise<Link | undefined> {
    const link = await Link.open(this.#place.socket, this.#events)
    if (!link || link.greeting.settings === settingsOf(this.#options.portOffset)) return link
    if (link.greeting.others > 0) {
      link.close()
      throw new Error('API servers of another version, or with another port offset, use the Load Balancers')
    }
    await link.ask('retire').catch(orLost)
    await link.closed
    return undefined
  }

  async #start(): Promise<Link> {
    await launch(this.#place, this.#options.portOffset)
    const link = await Link.open(this.#place.socket, this.#events)
    if (!link) throw new LinkLost()
    return link
  }

  readonly #events: LinkEvents = {
    report: ({ level, message, fields }) => this.#options.log[level](fields, message),
    lost: (link) => {
      if (link === this.#link && !this.#closing.signal.aborted) void this.#recover()
    },
  }

  /** Tells without waiting for an answer; the process that follows a dead one is told again. */
  #tell<M extends Method>(link: Link, method: M, ...args: Methods[M]['args']): void {
    link
      .ask(method, ...args)
      .catch(orLost)
      .catch((err: unknown) => this.#options.log.error({ err }, 'the process of the Load Balancers refused a state'))
  }

  /** Has another process go on when there is something to go on with. */
  async #recover(): Promise<void> {
    const { log } = this.#options
    log.warn({ reason: lastWords(this.#place) }, 'the process of the Load Balancers died')
    const wasShort = performance.now() - this.#connectedAt < shortLifeMs
    this.#shortLives = wasShort ? this.#shortLives + 1 : 0
    let wait = this.#shortLives > 1 ? waitMs : 0
    while (this.#newest.size > 0) {
      try {
        await delay(wait, undefined, { signal: this.#closing.signal })
        await this.#connect()
        return
      } catch (err) {
        if (this.#closing.signal.aborted) return
        log.error({ err }, 'the process of the Load Balancers does not start')
        wait = waitMs
      }
    }
  }
}

/**
 * What is left of a state without private networks. The process has none: it would reach those of the machine, and what a
 * tenant calls private there.
 */
function withoutPrivate(state: BalancerState): BalancerState {
  return { ...state, place: null, targets: state.targets.filter(({ network }) => network === null) }
}

/** Ignores that the process is gone. Other errors: as they are. */
function orLost(error: unknown): undefined {
  if (!(error instanceof LinkLost)) throw error
}
