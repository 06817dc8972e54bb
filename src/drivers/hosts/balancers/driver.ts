/**
 * Carries the traffic of Load Balancers with HAProxy, one in a container of its own for each on the hosts of a cluster. They
 * run on without this process, and several processes may drive them.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type {
  BalancerSeries,
  BalancerState,
  LoadBalancerDriver,
  Observation,
} from '../../../families/load-balancers/driver.ts'
import { attempt } from '../../load-balancers/errors.ts'
import { installationOf } from '../../load-balancers/haproxy/configuration/files.ts'
import { ifUnlocked } from '../../load-balancers/haproxy/lock.ts'
import { makePrivate } from '../../private-folder.ts'
import { Balancer, type BalancerParts } from './balancer.ts'
import { balancerIdOf, balancerImage, balancerName, type ListedInstance } from './instance.ts'

export interface BalancerOptions extends Omit<BalancerParts, 'directory'> {
  /** A folder of its own for what is measured; undefined for one that goes with the process. */
  readonly directory: string | undefined
  readonly log: { warn(fields: object, message: string): void }
}

export interface BalancerDriver extends LoadBalancerDriver {
  /** True when the hosts had the image at the last look, some seconds ago. Without it nothing can be created. */
  readonly hasImage: boolean
  close(): Promise<void>
}

/** The pauses between looks at which balancers there are and which want to be sampled, in milliseconds. */
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

class Balancers implements BalancerDriver {
  readonly #parts: BalancerParts
  readonly #log: BalancerOptions['log']
  readonly #release: () => void
  readonly #installation: string
  readonly #balancers = new Map<number, Balancer>()
  /** Ids of those that there are. */
  #listed: readonly number[] = []
  #hasImage = false
  #timers: readonly NodeJS.Timeout[] = []
  /** Work that is being done beside the calls, by the ids of balancers; the looks at all of them have the id 0. */
  readonly #tended = new Map<number, Promise<void>>()

  constructor(parts: BalancerParts, log: BalancerOptions['log'], release: () => void) {
    this.#parts = parts
    this.#log = log
    this.#release = release
    this.#installation = installationOf(parts.directory)
  }

  async open(): Promise<void> {
    await this.#look()
    this.#timers = [
      setInterval(
        () => this.#beside(0, 'The load balancers on the hosts cannot be listed', () => this.#look()),
        listMs,
      ),
      setInterval(() => this.#tendAll(), tickMs),
    ]
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    await Promise.all(this.#tended.values())
    this.#release()
  }

  get hasImage(): boolean {
    return this.#hasImage
  }

  /** Reads which balancers there are, and whether more can be made. Errors: `DriverError`. */
  async #look(): Promise<void> {
    this.#hasImage = (await this.#parts.incus.get(`/1.0/images/aliases/${balancerImage}`)) !== undefined
    this.#listed = await this.#list()
  }

  /** Does something in the background, unless that is still being done. Its trouble is nobody else's. */
  #beside(id: number, trouble: string, work: () => Promise<void>): void {
    if (this.#tended.has(id)) return
    const done = work()
      .catch((err: unknown) => this.#log.warn({ ...(id > 0 ? { balancer: id } : {}), err }, trouble))
      .finally(() => this.#tended.delete(id))
    this.#tended.set(id, done)
  }

  #balancer(id: number): Balancer {
    const known = this.#balancers.get(id) ?? new Balancer(this.#parts, id)
    this.#balancers.set(id, known)
    return known
  }

  /** The ids of all that are there. Errors: `DriverError`. */
  async #list(): Promise<readonly number[]> {
    const instances = await this.#parts.incus.list<ListedInstance>('/1.0/instances?recursion=1')
    return instances.flatMap((instance) => balancerIdOf(instance) ?? [])
  }

  /** Samples those of which it is time. Other processes here share what is measured. */
  #tendAll(): void {
    for (const id of this.#listed) {
      const balancer = this.#balancer(id)
      if (!balancer.measurements.isDue()) continue
      const lock = `wolke-${balancerName(id)}-${this.#installation}`
      this.#beside(id, 'A load balancer does not answer', () => ifUnlocked(lock, () => balancer.tend()))
    }
  }

  apply(state: BalancerState): Promise<void> {
    return attempt(() => this.#balancer(state.id).apply(state))
  }

  async remove(id: number, generation: number | null): Promise<void> {
    await attempt(() => this.#balancer(id).remove(generation))
    this.#balancers.delete(id)
    this.#listed = this.#listed.filter((one) => one !== id)
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

  /** Nothing has to be told again: whoever reconciles the hosts finds what they have lost. */
  async inventory(): Promise<undefined> {
    return undefined
  }
}
