/**
 * Carries the traffic of Load Balancers with HAProxy, one in a container of its own for each on the hosts of a cluster. They
 * run on without this process, and several processes may drive them.
 */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type {
  BalancerSeries,
  BalancerState,
  Inventory,
  LoadBalancerDriver,
  Observation,
} from '../../../families/load-balancers/driver.ts'
import { attempt } from '../../load-balancers/errors.ts'
import { installationOf } from '../../load-balancers/haproxy/files.ts'
import { ifUnlocked } from '../../load-balancers/haproxy/lock.ts'
import { makePrivate } from '../../load-balancers/private-folder.ts'
import type { Instance } from '../edit.ts'
import { idOf } from '../names.ts'
import { Balancer, type BalancerParts } from './balancer.ts'
import { balancerImage, balancerName, isBalancer } from './instance.ts'

export interface BalancerOptions extends Omit<BalancerParts, 'directory'> {
  /** A folder of its own for what is measured; undefined for one that goes with the process. */
  readonly directory: string | undefined
  readonly log: { warn(fields: object, message: string): void }
}

export interface BalancerDriver extends LoadBalancerDriver {
  /** Whether the hosts had the image when it was last looked at, some seconds ago. Without it nothing can be created. */
  readonly hasImage: boolean
  close(): Promise<void>
}

/** How often it is looked at which balancers there are and which want to be sampled, in milliseconds. */
const listMs = 10_000
const tickMs = 1_000

/** Opens the driver. Errors: one line for the operator when its folder cannot be used, or a `DriverError` of the hosts. */
export async function openBalancers(options: BalancerOptions): Promise<BalancerDriver> {
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'wolke-hosts-'))
  makePrivate(directory)
  const release = () => {
    if (options.directory === undefined) rmSync(directory, { recursive: true, force: true })
  }
  const driver = new Balancers({ ...options, directory }, options.log, release)
  try {
    await driver.open()
    return driver
  } catch (error) {
    release()
    throw error
  }
}

/** All balancers as they were listed. */
interface Listed {
  /** In milliseconds, on the clock of the process. */
  readonly at: number
  readonly instances: readonly Instance[]
}

class Balancers implements BalancerDriver {
  readonly #parts: BalancerParts
  readonly #log: BalancerOptions['log']
  readonly #release: () => void
  readonly #installation: string
  readonly #balancers = new Map<number, Balancer>()
  #listed: Listed = { at: 0, instances: [] }
  #hasImage = false
  #timer: NodeJS.Timeout | undefined
  #tending: Promise<void> | undefined

  constructor(parts: BalancerParts, log: BalancerOptions['log'], release: () => void) {
    this.#parts = parts
    this.#log = log
    this.#release = release
    this.#installation = installationOf(parts.directory)
  }

  async open(): Promise<void> {
    await this.#look()
    this.#timer = setInterval(() => {
      this.#tending ??= this.#tendAll().finally(() => {
        this.#tending = undefined
      })
    }, tickMs)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#tending
    this.#release()
  }

  get hasImage(): boolean {
    return this.#hasImage
  }

  /** Reads which balancers there are, and whether more can be made. Errors: `DriverError`. */
  async #look(): Promise<void> {
    const at = performance.now()
    this.#hasImage = (await this.#parts.incus.get(`/1.0/images/aliases/${balancerImage}`)) !== undefined
    this.#listed = { at, instances: await this.#list() }
  }

  #balancer(id: number): Balancer {
    const known = this.#balancers.get(id) ?? new Balancer(this.#parts, id)
    this.#balancers.set(id, known)
    return known
  }

  /** All balancers that are there. Errors: `DriverError`. */
  async #list(): Promise<readonly Instance[]> {
    const instances = await this.#parts.incus.list<Instance>('/1.0/instances?recursion=1')
    return instances.filter((instance) => isBalancer(instance) && idOf(instance.config) !== undefined)
  }

  async #tendAll(): Promise<void> {
    try {
      if (performance.now() - this.#listed.at >= listMs) await this.#look()
    } catch (err) {
      this.#log.warn({ err }, 'The load balancers on the hosts cannot be listed')
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
      this.#log.warn({ balancer: id, err }, 'A load balancer does not answer')
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
      const [instances, known] = await Promise.all([this.#list(), this.#parts.overlay.known()])
      const there = new Set(instances.flatMap(({ config }) => idOf(config) ?? []))
      const remembered = [...known].filter(([, { isForgotten }]) => !isForgotten).map(([id]) => id)
      const lost = remembered.filter((id) => !there.has(id)).sort((a, b) => a - b)
      const epoch = createHash('sha256').update(JSON.stringify(lost)).digest('hex')
      return { epoch, balancers: [...new Set([...there, ...remembered])] }
    })
  }
}
