/**
 * Carries the traffic of Load Balancers with HAProxy, one in a container of its own for each on the hosts of a cluster. They
 * run on without this process, and several processes may drive them.
 */
import { createHash } from 'node:crypto'
import type {
  BalancerSeries,
  BalancerState,
  Inventory,
  LoadBalancerDriver,
  Observation,
} from '../../../families/load-balancers/driver.ts'
import { attempt } from '../../load-balancers/errors.ts'
import { installationOf, openDirectory } from '../../load-balancers/haproxy/files.ts'
import { ifUnlocked } from '../../load-balancers/haproxy/lock.ts'
import type { Instance } from '../edit.ts'
import { idOf } from '../names.ts'
import { Balancer, type BalancerParts } from './balancer.ts'
import { balancerImage, balancerName, isBalancer } from './instance.ts'

export interface BalancerOptions extends BalancerParts {
  readonly log: { warn(fields: object, message: string): void }
}

export interface BalancerDriver extends LoadBalancerDriver {
  /** Whether the operator has imported the image. Without it nothing is created. Errors: `DriverError`. */
  hasImage(): Promise<boolean>
  close(): Promise<void>
}

/** How often it is looked at which balancers there are and which want to be sampled, in milliseconds. */
const listMs = 10_000
const tickMs = 1_000

/** Opens the driver. Errors: one line for the operator when its directory cannot be used. */
export function openBalancers(options: BalancerOptions): BalancerDriver {
  const directory = openDirectory(options.directory)
  const driver = new Balancers({ ...options, directory }, installationOf(directory))
  driver.open()
  return driver
}

class Balancers implements BalancerDriver {
  readonly #options: BalancerOptions
  readonly #installation: string
  readonly #balancers = new Map<number, Balancer>()
  #listed: { readonly at: number; readonly instances: readonly Instance[] } = { at: -listMs, instances: [] }
  #timer: NodeJS.Timeout | undefined
  #tending: Promise<void> | undefined

  constructor(options: BalancerOptions, installation: string) {
    this.#options = options
    this.#installation = installation
  }

  open(): void {
    this.#timer = setInterval(() => {
      this.#tending ??= this.#tendAll().finally(() => {
        this.#tending = undefined
      })
    }, tickMs)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#tending
  }

  async hasImage(): Promise<boolean> {
    return (await this.#options.incus.get(`/1.0/images/aliases/${balancerImage}`)) !== undefined
  }

  #balancer(id: number): Balancer {
    const known = this.#balancers.get(id) ?? new Balancer(this.#options, id)
    this.#balancers.set(id, known)
    return known
  }

  /** All balancers that are there. Errors: `DriverError`. */
  async #list(): Promise<readonly Instance[]> {
    const instances = await this.#options.incus.list<Instance>('/1.0/instances?recursion=1')
    return instances.filter((instance) => isBalancer(instance) && idOf(instance.config) !== undefined)
  }

  async #tendAll(): Promise<void> {
    try {
      const now = performance.now()
      if (now - this.#listed.at >= listMs) this.#listed = { at: now, instances: await this.#list() }
    } catch (err) {
      this.#options.log.warn({ err }, 'The load balancers on the hosts cannot be listed')
    }
    await Promise.all(this.#listed.instances.map((instance) => this.#tend(instance)))
  }

  /** Samples a balancer when it is time. Its trouble is nobody else's, and other processes here share what is measured. */
  async #tend(instance: Instance): Promise<void> {
    const id = idOf(instance.config)!
    const balancer = this.#balancer(id)
    if (!balancer.measurements.isDue()) return
    try {
      await ifUnlocked(`wolke-${balancerName(id)}-${this.#installation}`, () => balancer.tend())
    } catch (err) {
      this.#options.log.warn({ balancer: id, err }, 'A load balancer does not answer')
    }
  }

  apply(state: BalancerState): Promise<void> {
    return attempt(() => this.#balancer(state.id).apply(state))
  }

  async remove(id: number, generation: number | null): Promise<void> {
    await attempt(() => this.#balancer(id).remove(generation))
    this.#balancers.delete(id)
  }

  observe(ids: readonly number[]): Promise<ReadonlyMap<number, Observation>> {
    const nowMs = Date.now()
    return attempt(async () => {
      const seen = await Promise.all(ids.map(async (id) => [id, await this.#balancer(id).observe(nowMs)] as const))
      return new Map(seen.filter((pair): pair is [number, Observation] => pair[1] !== undefined))
    })
  }

  measure(id: number, series: BalancerSeries, moments: readonly number[], step: number) {
    return attempt(async () => this.#balancer(id).measurements.history().measure(series, moments, step))
  }

  /** A balancer that OVN remembers and Incus has lost makes another epoch. */
  inventory(): Promise<Inventory> {
    return attempt(async () => {
      const [instances, known] = await Promise.all([this.#list(), this.#options.overlay.generations()])
      const there = new Set(instances.flatMap(({ config }) => idOf(config) ?? []))
      const remembered = [...known].filter(([, { isForgotten }]) => !isForgotten).map(([id]) => id)
      const lost = remembered.filter((id) => !there.has(id)).sort((a, b) => a - b)
      const epoch = createHash('sha256').update(JSON.stringify(lost)).digest('hex')
      return { epoch, balancers: [...new Set([...there, ...remembered])] }
    })
  }
}
