/**
 * Records the requests of a cloud: the last of them whole, in a ring that is bounded in number and in bytes, and what is
 * found out about all of them by runs. A request is only put down; what follows from it is worked out when a report is
 * asked for, or when it leaves the ring.
 */
import type { LifeEvent } from '../../kernel/data/follow.ts'
import { limitExceeded, notFound } from '../../kernel/errors.ts'
import type { Exchange } from '../../kernel/http/api/exchange.ts'
import type { EndingsOf } from './endings.ts'
import { Ledger } from './ledger.ts'
import type { RatesOf } from './rates.ts'
import { type Recorded, Shared } from './recorded.ts'
import { Ring } from './ring.ts'
import { isOf, type Moment, Run, type Whose } from './run.ts'

/** The bounds of the ring. */
export const mostRequests = 20_000
export const mostBytes = 32 * 2 ** 20

/** What is left of a bound when room is made below it. */
const leftOf = (most: number) => most - most / 8

/** The most runs besides that of the whole life. */
const mostRuns = 1_000

export class Recorder {
  readonly ledger = new Ledger()
  #whole: Run
  readonly #runs = new Map<number, Run>()
  readonly #shared = new Shared()
  readonly #endingsOf: EndingsOf
  readonly #kept = new Ring()
  /** The number of the first request in the ring. */
  #first = 0
  #events = 0
  #made = 0

  constructor(startedMs: number, endingsOf: EndingsOf) {
    this.#endingsOf = endingsOf
    this.#whole = new Run(0, 'all', { atMs: startedMs, count: 0, events: 0 }, endingsOf)
  }

  /** The whole life of the recorder. */
  get whole(): Run {
    return this.#whole
  }

  /** Begins with what there is, which nobody has left over then. */
  start(): void {
    this.#whole = new Run(0, 'all', { ...this.#whole.started, events: this.#events }, this.#endingsOf)
  }

  /** The number of requests so far. */
  get count(): number {
    return this.#first + this.#kept.length
  }

  /** Takes down an exchange; `atMs` is the time of the lab, which may stand still. */
  observe(exchange: Exchange, atMs: number, isStill: boolean): void {
    const said = this.#shared.said(exchange, isStill)
    if (!said) return
    const answeredMs = Date.now()
    const cameMs = answeredMs - Math.round(exchange.response.elapsedTime)
    this.#kept.add(said, exchange.request.id, { atMs, cameMs, answeredMs })
    if (this.#kept.length > mostRequests || this.#kept.bytes > mostBytes) this.#forgetSome()
  }

  follow(event: LifeEvent, ratesOf: RatesOf): void {
    this.ledger.follow(event, ratesOf, ++this.#events)
  }

  /** Another state has taken the place of the cloud. */
  stateChanged(atMs: number): void {
    this.ledger.clear(++this.#events, atMs)
  }

  /** The runs that were begun. */
  runs(): readonly Run[] {
    return [...this.#runs.values()]
  }

  /** Starts a run. Errors: `resource_limit_exceeded`. */
  begin(name: string, atMs: number): Run {
    if (this.#runs.size >= mostRuns) throw limitExceeded('run_limit', `a cloud cannot have more than ${mostRuns} runs`)
    const run = new Run(++this.#made, name, this.#momentAt(atMs), this.#endingsOf)
    this.#runs.set(run.id, run)
    return run
  }

  /** Errors: `not_found`. */
  run(id: number): Run {
    const run = this.#runs.get(id)
    if (!run) throw notFound('run', id)
    return run
  }

  /** Errors: `not_found`. */
  end(id: number, atMs: number): Run {
    const run = this.run(id)
    run.end(this.#momentAt(atMs))
    return run
  }

  /** Forgets a run. Errors: `not_found`. */
  remove(id: number): void {
    this.run(id)
    this.#runs.delete(id)
  }

  /** Lets a run take in all that it has not seen. */
  bringUp(run: Run): Run {
    run.takeIn(this.#kept, this.#first)
    return run
  }

  /** The requests of a run that are still in the ring. */
  requests(run: Run, whose: Whose): readonly Recorded[] {
    const found: Recorded[] = []
    for (let index = 0; index < this.#kept.length; index++) {
      const recorded = this.#kept.at(index)
      if (run.has(this.#first + index) && isOf(whose, recorded)) found.push(recorded)
    }
    return found
  }

  #momentAt(atMs: number): Moment {
    return { atMs, count: this.count, events: this.#events }
  }

  /** Many at once, because all runs take them in before. */
  #forgetSome(): void {
    for (const run of [this.whole, ...this.runs()]) this.bringUp(run)
    this.#first += this.#kept.shrink({ length: leftOf(mostRequests), bytes: leftOf(mostBytes) })
  }
}
