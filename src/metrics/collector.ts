/**
 * Reads all gauges when somebody asks. Collections never pile up: whoever comes during one gets its result. What cannot be
 * read is left out, counted, and hides nothing else.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Counter, Gauge, type Registry } from 'prom-client'
import { FairQueue } from '../kernel/process/fair-queue.ts'
import type { GaugeGroup, Reading } from '../kernel/process/gauges.ts'
import type { Logger } from '../kernel/process/log.ts'

/** The number of groups of gauges that are read at the same time. */
const atOnce = 4

export interface CollectorOptions<World> {
  readonly registry: Registry
  readonly groups: readonly GaugeGroup<World>[]
  readonly world: () => World
  readonly log: Pick<Logger, 'warn' | 'info'>
  /** The longest time for all of it, in milliseconds. */
  readonly mostMs: number
}

/** A group with its gauges. */
interface Collected<World> {
  readonly group: GaugeGroup<World>
  readonly gauges: readonly Gauge[]
  /** A reading that has not ended, maybe of an earlier collection. */
  underWay: Promise<void> | undefined
  hasFailed: boolean
}

export class Collector<World> {
  readonly #options: CollectorOptions<World>
  readonly #collected: readonly Collected<World>[]
  readonly #errors: Counter<'source'>
  readonly #took: Gauge
  readonly #turns = new FairQueue<undefined>({ atOnce, perKey: atOnce })
  #running: Promise<void> | undefined

  constructor(options: CollectorOptions<World>) {
    this.#options = options
    const registers = [options.registry]
    this.#collected = options.groups.map((group) => ({
      group,
      gauges: Object.entries(group.gauges).map(([name, { help, labels = [] }]) => {
        return new Gauge({ name, help, labelNames: labels, registers })
      }),
      underWay: undefined,
      hasFailed: false,
    }))
    this.#errors = new Counter({
      name: 'wolke_collection_errors_total',
      help: 'Gauges that could not be read when they were asked for, by their source; they are missing then.',
      labelNames: ['source'],
      registers,
    })
    for (const { group } of this.#collected) this.#errors.inc({ source: group.name }, 0)
    this.#took = new Gauge({
      name: 'wolke_collection_duration_seconds',
      help: 'How long it took to read all gauges.',
      registers,
    })
  }

  /** Reads all gauges, or waits for whoever does. Never rejects. */
  collect(): Promise<void> {
    this.#running ??= this.#collect().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #collect(): Promise<void> {
    const began = performance.now()
    const { mostMs } = this.#options
    const tooLate = new AbortController()
    const { signal } = tooLate
    const late = delay(mostMs, undefined, { signal, ref: false }).catch(() => undefined)
    await Promise.all(this.#collected.map((one) => this.#within(one, late)))
    tooLate.abort()
    this.#took.set((performance.now() - began) / 1_000)
  }

  /** Reads one group, as long as that is not too late. */
  async #within(one: Collected<World>, late: Promise<undefined>): Promise<void> {
    let isLate = false
    for (const gauge of one.gauges) clear(gauge)
    if (one.underWay) return this.#note(one, new Error('the reading before has not ended'))
    const read = this.#turns
      .run(undefined, () => one.group.read(this.#options.world()))
      .then((readings) => {
        if (isLate) return
        for (const [index, name] of Object.keys(one.group.gauges).entries()) show(one.gauges[index]!, readings[name]!)
        this.#note(one, undefined)
      })
      .catch((error: unknown) => {
        if (!isLate) this.#note(one, error)
      })
      .finally(() => {
        one.underWay = undefined
      })
    one.underWay = read
    await Promise.race([read, late])
    if (one.underWay !== read) return
    isLate = true
    this.#note(one, new Error(`it took longer than ${this.#options.mostMs} ms`))
  }

  /** Counts each failure, and logs when they begin and end. */
  #note(one: Collected<World>, error: unknown): void {
    const { name: source } = one.group
    const { log } = this.#options
    if (error !== undefined) this.#errors.inc({ source })
    if (error !== undefined && !one.hasFailed) log.warn({ err: error, source }, 'gauges could not be read')
    if (error === undefined && one.hasFailed) log.info({ source }, 'gauges can be read again')
    one.hasFailed = error !== undefined
  }
}

/** Nothing is shown of a gauge that was not read: the library would show 0 for one without labels. */
function clear(gauge: Gauge): void {
  gauge.reset()
  gauge.remove({})
}

function show(gauge: Gauge, readings: readonly Reading[]): void {
  for (const { labels = {}, value } of readings) gauge.set(labels, value)
}
