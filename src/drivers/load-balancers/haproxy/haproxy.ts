/**
 * Carries the traffic of Load Balancers with HAProxy, one for each in a network namespace of its own. They run on without
 * this process, and several processes of an installation may use one directory.
 */
import { rmSync } from 'node:fs'
import type {
  BalancerSeries,
  BalancerState,
  Inventory,
  LoadBalancerDriver,
  Observation,
} from '../../../families/load-balancers/driver.ts'
import { attempt } from '../errors.ts'
import { Balancer, type Installation, type Log } from './balancer.ts'
import { forgetOldRemovals, installationOf, listBalancers, openDirectory } from './configuration/files.ts'
import { ifUnlocked, withLock } from './lock.ts'
import { namesOf, removeNamespace } from './namespace.ts'
import { checkRequirements, mostConnections } from './requirements.ts'

export interface HaproxyOptions {
  /** The private directory of the installation, with a real path of at most 70 bytes. */
  readonly directory: string
  /** The program, `haproxy` unless it is another one. */
  readonly binary?: string
  readonly log: Log
}

/** How often it is looked at which balancers want to be sampled, in milliseconds. */
const tickMs = 1_000

/**
 * Takes over the balancers of a directory, starts those that do not run, and offers them as a driver. Errors: one line for
 * the operator when the machine lacks something.
 */
export async function openHaproxy(options: HaproxyOptions): Promise<LoadBalancerDriver & { close(): Promise<void> }> {
  const { binary = 'haproxy', log } = options
  await checkRequirements(binary)
  const directory = openDirectory(options.directory)
  const name = installationOf(directory)
  const driver = new Haproxy({ directory, name, binary, mostConnections: mostConnections(), log })
  await driver.open()
  return driver
}

/** Ends and removes all balancers of a directory, and the directory. */
export async function stopAll(directory: string): Promise<void> {
  const name = installationOf(directory)
  await Promise.all(listBalancers(directory).map((id) => removeNamespace(namesOf(name, id))))
  rmSync(directory, { recursive: true })
}

class Haproxy implements LoadBalancerDriver {
  readonly #installation: Installation
  readonly #balancers = new Map<number, Balancer>()
  #timer: NodeJS.Timeout | undefined
  /** What is being done for balancers, by their ids. */
  readonly #tended = new Map<number, Promise<void>>()

  constructor(installation: Installation) {
    this.#installation = installation
  }

  async open(): Promise<void> {
    const restore = (balancer: Balancer) => withLock(balancer.lock, () => balancer.restore())
    await Promise.all(this.#listed().map((id) => this.#try(id, 'A load balancer cannot be started', restore)))
    forgetOldRemovals(this.#installation.directory)
    this.#timer = setInterval(() => this.#tendAll(), tickMs)
  }

  /** Lets go of the balancers, which run on. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#tended.values())
  }

  #listed(): number[] {
    return listBalancers(this.#installation.directory)
  }

  #tendAll(): void {
    for (const id of this.#listedOrNone()) {
      if (this.#tended.has(id)) continue
      const tending = this.#try(id, 'A load balancer does not answer', tend)
      this.#tended.set(
        id,
        tending.finally(() => this.#tended.delete(id)),
      )
    }
  }

  /** A directory that cannot be read just now is read again soon. */
  #listedOrNone(): number[] {
    try {
      return this.#listed()
    } catch (err) {
      this.#installation.log.warn({ err }, 'The directory of load balancers cannot be read')
      return []
    }
  }

  /** Does something with a balancer whose trouble is nobody else's. */
  async #try(id: number, trouble: string, work: (balancer: Balancer) => Promise<void>): Promise<void> {
    try {
      await work(this.#balancer(id))
    } catch (err) {
      this.#installation.log.warn({ balancer: id, err }, trouble)
    }
  }

  #balancer(id: number): Balancer {
    const known = this.#balancers.get(id) ?? new Balancer(this.#installation, id)
    this.#balancers.set(id, known)
    return known
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
      const observed = await Promise.all(ids.map(async (id) => [id, await observe(this.#balancer(id), nowMs)] as const))
      return new Map(observed.filter((pair): pair is [number, Observation] => pair[1] !== undefined))
    })
  }

  measure(id: number, series: BalancerSeries, moments: readonly number[], step: number) {
    return attempt(async () => this.#balancer(id).measurements.history().measure(series, moments, step))
  }

  inventory(): Promise<Inventory> {
    return attempt(async () => {
      const balancers = this.#listed().filter((id) => this.#balancer(id).record !== undefined)
      return { epoch: this.#installation.name, balancers }
    })
  }
}

/** Samples a balancer when it is time, unless somebody is changing it. */
async function tend(balancer: Balancer): Promise<void> {
  if (!balancer.measurements.isDue()) return
  await ifUnlocked(balancer.lock, async () => {
    await balancer.restore()
    await balancer.keep()
  })
}

/** The health of one that does not answer is not known. */
async function observe({ record, measurements }: Balancer, nowMs: number): Promise<Observation | undefined> {
  if (!record) return undefined
  const health = await measurements.health().catch(() => [])
  return { generation: record.generation, health, traffic: measurements.history().traffic(nowMs) }
}
