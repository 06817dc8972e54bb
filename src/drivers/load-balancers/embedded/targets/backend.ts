/** One target of one service: its health, its load, and idle connections to it. */
import { createHmac } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import type { BalancerService, BalancerState } from '../../../../families/load-balancers/driver.ts'
import { HealthWatch } from './health.ts'
import type { Owner, TargetConnection } from './target-connection.ts'

/** How many idle connections are kept for one target. */
const mostIdle = 256

export class Backend implements Owner {
  readonly address: string
  readonly watch: HealthWatch
  /** Connections of tcp services, requests of others. */
  load = 0
  #service: BalancerService
  #cookie = ''
  readonly #idle: TargetConnection[] = []
  #isClosed = false

  constructor(address: string, service: BalancerService) {
    this.address = address
    this.#service = service
    this.watch = new HealthWatch(checkedTarget(address, service), () => {
      if (!this.isEligible) this.dropIdle()
    })
  }

  /** The value of the cookie that leads here. */
  get cookie(): string {
    return this.#cookie
  }

  /** A target that has not been checked yet is used. */
  get isEligible(): boolean {
    return this.watch.health.status !== 'unhealthy'
  }

  update(state: BalancerState, service: BalancerService): void {
    const isElsewhere = service.destinationPort !== this.#service.destinationPort
    this.#service = service
    this.#cookie = createHmac('sha256', state.cookieSecret).update(this.address).digest('base64url').slice(0, 22)
    this.watch.update(checkedTarget(this.address, service))
    if (isElsewhere) this.dropIdle()
  }

  /** Connects. Each side ends for itself. Errors: those of the socket, `ETIMEDOUT` included. */
  connect(): Promise<Socket> {
    const { destinationPort: port, healthCheck } = this.#service
    const socket = connect({ host: this.address, port, noDelay: true, keepAlive: true, allowHalfOpen: true })
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        socket.destroy(Object.assign(new Error('the target does not answer'), { code: 'ETIMEDOUT' }))
      }, healthCheck.timeout * 1_000)
      const fail = (error: Error) => {
        clearTimeout(timer)
        reject(error)
      }
      socket.once('error', fail)
      socket.once('connect', () => {
        clearTimeout(timer)
        socket.off('error', fail)
        resolve(socket)
      })
    })
  }

  /** An idle connection, the one that was used last. */
  takeIdle(): TargetConnection | undefined {
    return this.#idle.pop()
  }

  /** Keeps a connection for another request, unless it leads to a port that the service has left meanwhile. */
  release(connection: TargetConnection): void {
    const isCurrent = !this.#isClosed && connection.socket.remotePort === this.#service.destinationPort
    if (isCurrent && this.isEligible && this.#idle.length < mostIdle) this.#idle.push(connection)
    else connection.socket.destroy()
  }

  /** Must be told when an idle connection ends. */
  forget(connection: TargetConnection): void {
    const at = this.#idle.indexOf(connection)
    if (at !== -1) this.#idle.splice(at, 1)
  }

  dropIdle(): void {
    for (const { socket } of this.#idle.splice(0)) socket.destroy()
  }

  /** The target is none any more. Connections in use stay. */
  close(): void {
    this.#isClosed = true
    this.watch.close()
    this.dropIdle()
  }
}

function checkedTarget(address: string, { destinationPort, healthCheck, usesProxyProtocol }: BalancerService) {
  // Another port may be for checks alone, and know nothing of the header.
  const isOfService = healthCheck.port === destinationPort
  return { address, usesProxyProtocol: usesProxyProtocol && isOfService, check: healthCheck }
}
