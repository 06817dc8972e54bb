/** The targets of one service, and which of them is next. */

import type { Socket } from 'node:net'
import type { BalancerService, BalancerState, TargetHealth } from '../../../../families/load-balancers/driver.ts'
import { Backend } from './backend.ts'

export interface Connected {
  readonly backend: Backend
  readonly socket: Socket
}

export class Backends {
  #all = new Map<string, Backend>()
  #ring: readonly Backend[] = []
  #byCookie: ReadonlyMap<string, Backend> = new Map()
  #algorithm: BalancerState['algorithm'] = 'round_robin'
  /** Who had the last turn. */
  #last = -1

  /** Those that stay keep their health, their checks and their connections. */
  update(state: BalancerState, service: BalancerService): void {
    const before = this.#all
    this.#all = new Map(
      state.targets.map(({ address }) => [address, before.get(address) ?? new Backend(address, service)]),
    )
    for (const backend of this.#all.values()) backend.update(state, service)
    for (const [address, backend] of before) if (!this.#all.has(address)) backend.close()
    this.#algorithm = state.algorithm
    this.#ring = [...this.#all.values()]
    this.#byCookie = new Map(this.#ring.map((backend) => [backend.cookie, backend]))
  }

  /**
   * Who gets the next connection, but none of those that were tried; undefined when there is nobody. Turns go around all
   * targets, so that the one behind a target that fails has no more than its own and those of that target.
   */
  choose(tried?: ReadonlySet<Backend>): Backend | undefined {
    const ring = this.#ring
    let best: number | undefined
    for (let step = 1; step <= ring.length; step++) {
      const at = (this.#last + step) % ring.length
      if (!ring[at]!.isEligible || tried?.has(ring[at]!)) continue
      if (best === undefined || ring[at]!.load < ring[best]!.load) best = at
      if (this.#algorithm === 'round_robin') break
    }
    if (best === undefined) return undefined
    this.#last = best
    return ring[best]
  }

  /** Connects to a target, and to the next one when it fails; undefined when there is none left, or nobody waits. */
  async connect(first: Backend | undefined, isWanted: () => boolean): Promise<Connected | undefined> {
    const tried = new Set<Backend>()
    for (let backend = first; backend && isWanted(); backend = this.choose(tried)) {
      tried.add(backend)
      try {
        return { backend, socket: await backend.connect() }
      } catch {
        // That a target cannot be reached is the business of its health checks.
      }
    }
    return undefined
  }

  /** The target that a cookie leads to, unless it is unhealthy. */
  byCookie(value: string): Backend | undefined {
    const backend = this.#byCookie.get(value)
    return backend?.isEligible ? backend : undefined
  }

  /** Those that were not checked yet are unknown. */
  health(listenPort: number): TargetHealth[] {
    return [...this.#all.values()].map(({ address, watch }) => ({ listenPort, address, health: watch.health }))
  }

  close(): void {
    for (const backend of this.#all.values()) backend.close()
    this.#all.clear()
    this.#ring = []
  }
}
