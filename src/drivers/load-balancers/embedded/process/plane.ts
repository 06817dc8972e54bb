/** All Load Balancers of one data plane process, and what is measured of them. */
import { randomUUID } from 'node:crypto'
import type {
  BalancerSeries,
  BalancerState,
  Inventory,
  Observation,
} from '../../../../families/load-balancers/driver.ts'
import { historyOf, sampleSeconds, type TrafficHistory } from '../../history.ts'
import { Balancer } from '../balancer.ts'
import type { ReportProblem } from '../report.ts'

export interface PlaneOptions {
  readonly directory: string
  readonly portOffset: number
  readonly report: ReportProblem
}

/** How long what is late may take, in milliseconds: an older state that arrives after its balancer was removed. */
const longestLateMs = 600_000

interface Running {
  readonly balancer: Balancer
  readonly history: TrafficHistory
}

interface Removed {
  readonly generation: number
  /** When that was, on the clock that never jumps. */
  readonly atMs: number
}

export class Plane {
  readonly epoch = randomUUID()
  readonly #options: PlaneOptions
  readonly #running = new Map<number, Running>()
  /** Balancers that were removed a short while ago. */
  readonly #removed = new Map<number, Removed>()
  readonly #sampling: NodeJS.Timeout
  /** What is added to the time of this machine, in milliseconds. */
  clockOffset = 0

  constructor(options: PlaneOptions) {
    this.#options = options
    this.#sampling = setInterval(() => this.#doRegularly(), sampleSeconds * 1_000)
  }

  /** Makes a balancer be as described. Errors: those of certificates and of the file system. */
  async apply(state: BalancerState): Promise<void> {
    const { id, generation } = state
    if (generation <= (this.#removed.get(id)?.generation ?? -1)) return
    const known = this.#running.get(id)
    if (known && generation < known.balancer.generation) return
    const running = known ?? this.#begin(state)
    // It is known from here on, so that it can be removed whatever becomes of this.
    this.#running.set(id, running)
    this.#removed.delete(id)
    await running.balancer.apply(state)
  }

  #begin(state: BalancerState): Running {
    return { history: historyOf(this.#options.directory, state.id), balancer: new Balancer(state, this.#options) }
  }

  /** Errors: of the file system. */
  remove(id: number, generation: number | null): void {
    const known = this.#running.get(id)
    if (known && generation !== null && generation < known.balancer.generation) return
    if (generation === null) this.#removed.delete(id)
    else this.#noteRemoval(id, generation)
    this.#running.delete(id)
    known?.balancer.close()
    const history = known?.history ?? historyOf(this.#options.directory, id)
    history.remove()
  }

  #noteRemoval(id: number, generation: number): void {
    const newest = Math.max(generation, this.#removed.get(id)?.generation ?? 0)
    this.#removed.set(id, { generation: newest, atMs: performance.now() })
  }

  #forgetRemovals(): void {
    const latest = performance.now() - longestLateMs
    for (const [id, { atMs }] of this.#removed) if (atMs < latest) this.#removed.delete(id)
  }

  observe(ids: readonly number[]): [number, Observation][] {
    return ids.flatMap((id) => {
      const known = this.#running.get(id)
      if (!known) return []
      this.#sample(known)
      const { balancer, history } = known
      const traffic = history.traffic(this.#now())
      return [[id, { generation: balancer.generation, health: balancer.health(), traffic }]]
    })
  }

  /** Errors: of the file system. */
  measure(id: number, series: BalancerSeries, moments: readonly number[], step: number): [number, number][] {
    const known = this.#running.get(id)
    if (!known) return []
    this.#sample(known)
    return [...known.history.measure(series, moments, step)]
  }

  inventory(): Inventory {
    return { epoch: this.epoch, balancers: [...this.#running.keys()] }
  }

  close(): void {
    clearInterval(this.#sampling)
    this.#sampleAll()
    for (const { balancer } of this.#running.values()) balancer.close()
    this.#running.clear()
  }

  #now(): number {
    return Date.now() + this.clockOffset
  }

  #doRegularly(): void {
    this.#sampleAll()
    this.#forgetRemovals()
  }

  #sampleAll(): void {
    for (const [id, running] of this.#running) {
      try {
        this.#sample(running)
      } catch (error) {
        this.#options.report('error', 'the traffic of a Load Balancer is not recorded', {
          load_balancer: id,
          reason: (error as Error).message,
        })
      }
    }
  }

  #sample({ balancer, history }: Running): void {
    history.record(this.#now() / 1_000, balancer.meter.take())
  }
}
