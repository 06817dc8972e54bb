/** Measures servers: every member is asked once a minute, and what it counted is kept for 30 days. */
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Incus } from '../../../protocols/incus/client.ts'
import { counters, countsIn } from './exposition.ts'
import { Samples, sampleSeconds } from './samples.ts'

export interface MeasurementOptions {
  readonly incus: Incus
  /** The folder of the samples; it is created when it is missing. */
  readonly directory: string
  /** The members that answer now, by name; none without a cluster. */
  online(): Promise<readonly string[]>
  /** Told of a round that failed, which the next one makes up for. */
  log(message: string, error: unknown): void
}

const keptMs = 30 * 86_400_000
/** In percent of one core. */
const percent = 100

export class Measurements {
  readonly #options: MeasurementOptions
  readonly #timer: NodeJS.Timeout
  #round: Promise<void> = Promise.resolve()

  /** Errors: of the file system. */
  constructor(options: MeasurementOptions) {
    this.#options = options
    mkdirSync(options.directory, { recursive: true, mode: 0o700 })
    this.#timer = setInterval(() => this.#next(), sampleSeconds * 1_000)
    this.#timer.unref()
    this.#next()
  }

  /** Rounds do not overlap. */
  #next(): void {
    const { log } = this.#options
    this.#round = this.#round
      .then(() => this.sample())
      .catch((error: unknown) => log('servers were not measured', error))
  }

  /** Samples all servers that run on members that answer. Errors: `DriverError`, and those of the file system. */
  async sample(): Promise<void> {
    const members = await this.#options.online()
    const targets = members.length === 0 ? [''] : members.map((name) => `?target=${encodeURIComponent(name)}`)
    const sampled = await Promise.allSettled(targets.map((target) => this.#sampleAt(target)))
    this.#removeOld()
    const failures = sampled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} hosts were not measured`)
  }

  async #sampleAt(target: string): Promise<void> {
    const { incus, directory } = this.#options
    const text = await incus.text(`/1.0/metrics${target}`)
    const at = Date.now() / 1_000
    for (const [name, counts] of countsIn(text)) {
      const id = /^srv-(\d+)$/.exec(name)?.[1]
      if (id) new Samples(directory, Number(id)).record(at, counts)
    }
  }

  /** Removes the samples of servers that are long gone. */
  #removeOld(): void {
    const { directory } = this.#options
    for (const name of readdirSync(directory).filter((one) => one.endsWith('.samples'))) {
      const path = join(directory, name)
      if (Date.now() - statSync(path).mtimeMs > keptMs) rmSync(path, { force: true })
    }
  }

  /**
   * Means of a series over the time before each of some moments (seconds since the epoch): rates per second, or percents of
   * a core. Moments of which nothing is known are missing. Errors: of the file system.
   */
  measure(server: number, series: string, moments: readonly number[]): Map<number, number> {
    const counter = (counters as readonly string[]).indexOf(series)
    if (counter < 0) return new Map()
    const [first, second] = moments
    const step = first === undefined || second === undefined ? sampleSeconds : second - first
    const rates = new Samples(this.#options.directory, server).rates(counter, moments, step)
    const factor = series === 'cpu' ? percent : 1
    return new Map([...rates].map(([moment, rate]) => [moment, Math.round(rate * factor * 1_000) / 1_000]))
  }

  /** Ends sampling, once the round that is on its way is done. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#round
  }
}
