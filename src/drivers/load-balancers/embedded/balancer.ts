/** One Load Balancer: its listeners, its services and what is measured of it. */
import type { Socket } from 'node:net'
import type { BalancerService, BalancerState, TargetHealth } from '../../../families/load-balancers/driver.ts'
import type { Frontend } from './frontend.ts'
import { HttpFrontend } from './http/http.ts'
import { RedirectFrontend } from './http/redirect.ts'
import { type Accept, Listener } from './listener.ts'
import { Meter } from './meter.ts'
import type { ReportProblem } from './report.ts'
import { Backends } from './targets/backends.ts'
import { TcpFrontend } from './tcp.ts'

/** How long connections of a removed service may go on, in milliseconds. */
const drainMs = 3_600_000
const redirectedPort = 80

interface Service {
  readonly protocol: BalancerService['protocol']
  readonly backends: Backends
  readonly frontend: Frontend
  /** Connections that came in for it. */
  readonly sockets: Set<Socket>
}

export interface BalancerOptions {
  readonly portOffset: number
  readonly report: ReportProblem
}

export class Balancer {
  readonly meter = new Meter()
  readonly #options: BalancerOptions
  #state: BalancerState
  #services = new Map<number, Service>()
  #redirect: RedirectFrontend | undefined
  #listeners = new Map<string, Listener>()
  readonly #drains = new Set<NodeJS.Timeout>()

  constructor(state: BalancerState, options: BalancerOptions) {
    this.#state = state
    this.#options = options
  }

  get generation(): number {
    return this.#state.generation
  }

  /**
   * Becomes as described. What it returns resolves once it listens wherever it can. Throws errors of certificates, and
   * goes on with the services that it had.
   */
  apply(state: BalancerState): Promise<void> {
    const before = this.#services
    const services = new Map<number, Service>()
    let updates: (() => void)[]
    try {
      for (const service of state.services) {
        const old = before.get(service.listenPort)
        const isKept = old?.protocol === service.protocol
        services.set(service.listenPort, isKept ? old : this.#createService(service))
      }
      // No service is changed before nothing of any of them can fail.
      updates = state.services.map((service) => services.get(service.listenPort)!.frontend.prepare(service))
    } catch (error) {
      for (const [port, service] of services) if (service !== before.get(port)) service.frontend.drain()
      throw error
    }
    for (const update of updates) update()
    for (const service of state.services) services.get(service.listenPort)!.backends.update(state, service)
    this.#state = state
    this.#services = services
    this.#updateRedirect()
    const listening = this.#listen()
    for (const [port, old] of before) if (services.get(port) !== old) this.#drain(old)
    return listening
  }

  #createService(service: BalancerService): Service {
    const backends = new Backends()
    const frontend =
      service.protocol === 'tcp' ? new TcpFrontend(backends, service) : new HttpFrontend(backends, service, this.meter)
    return { protocol: service.protocol, backends, frontend, sockets: new Set() }
  }

  #updateRedirect(): void {
    const target = this.#state.services.find(({ http }) => http?.redirectsHttp)
    if (target && !this.#services.has(redirectedPort)) {
      this.#redirect ??= new RedirectFrontend(this.meter)
      this.#redirect.update(target)
    } else {
      this.#redirect?.drain()
      this.#redirect = undefined
    }
  }

  async #listen(): Promise<void> {
    const wanted = this.#entrances()
    for (const [key, listener] of this.#listeners) {
      if (wanted.has(key)) continue
      listener.close()
      this.#listeners.delete(key)
    }
    const tried = [...wanted].map(([key, { address, port, accept }]) => {
      const listener = this.#listeners.get(key) ?? new Listener(address, port, this.#options.report)
      this.#listeners.set(key, listener)
      return listener.use(accept)
    })
    await Promise.all(tried)
  }

  /** Where connections come in, and what they are handed to. */
  #entrances(): Map<string, { address: string; port: number; accept: Accept }> {
    const { publicAddresses, place } = this.#state
    const addresses = place ? [...publicAddresses, place.address] : publicAddresses
    const byPort = [...this.#services].map(([port, service]) => ({ port, accept: this.#acceptFor(service) }))
    const redirect = this.#redirect
    if (redirect) byPort.push({ port: redirectedPort, accept: this.#acceptFor({ frontend: redirect }) })
    return new Map(
      addresses.flatMap((address) =>
        byPort.map(({ port: listenPort, accept }) => {
          const port = listenPort + this.#options.portOffset
          return [`${address} ${port}`, { address, port, accept }] as const
        }),
      ),
    )
  }

  #acceptFor({ frontend, sockets }: { frontend: Pick<Frontend, 'accept'>; sockets?: Set<Socket> }): Accept {
    return (socket) => {
      if (this.meter.openConnections >= this.#state.maxConnections) return void socket.destroy()
      this.meter.addConnection(socket)
      sockets?.add(socket)
      if (sockets) socket.once('close', () => sockets.delete(socket))
      frontend.accept(socket)
    }
  }

  #drain({ frontend, backends, sockets }: Service): void {
    frontend.drain()
    backends.close()
    const timer = setTimeout(() => {
      this.#drains.delete(timer)
      for (const socket of sockets) socket.destroy()
    }, drainMs)
    this.#drains.add(timer)
  }

  health(): TargetHealth[] {
    return [...this.#services].flatMap(([listenPort, { backends }]) => backends.health(listenPort))
  }

  /** Stops at once and cuts all connections. */
  close(): void {
    for (const listener of this.#listeners.values()) listener.close()
    for (const timer of this.#drains) clearTimeout(timer)
    for (const { frontend, backends } of this.#services.values()) {
      frontend.drain()
      backends.close()
    }
    this.#redirect?.drain()
    this.meter.closeAll()
  }
}
