/** Services that forward connections as they are. */
import type { Socket } from 'node:net'
import type { BalancerService } from '../../../families/load-balancers/driver.ts'
import type { Frontend } from './frontend.ts'
import { headerOf } from './proxy-protocol.ts'
import type { Backends } from './targets/backends.ts'
import { joinSockets } from './tunnel.ts'

const idleMs = 50_000

export class TcpFrontend implements Frontend {
  readonly #backends: Backends
  #service: BalancerService

  constructor(backends: Backends, service: BalancerService) {
    this.#backends = backends
    this.#service = service
  }

  prepare(service: BalancerService): () => void {
    return () => {
      this.#service = service
    }
  }

  drain(): void {
    // Connections end when their ends want it.
  }

  accept(client: Socket): void {
    // The header names the ends, which a connection that was reset does not know any more.
    const header = this.#service.usesProxyProtocol ? headerOf(client) : undefined
    client.on('error', () => client.destroy())
    void this.#forward(client, header)
  }

  async #forward(client: Socket, header: Buffer | undefined): Promise<void> {
    const found = await this.#backends.connect(this.#backends.choose(), () => !client.destroyed)
    if (!found) return void client.destroy()
    const { backend, socket: target } = found
    backend.load++
    target.once('close', () => backend.load--)
    if (header) target.write(header)
    joinSockets(client, target, idleMs)
    // It may have ended while nobody listened.
    if (client.destroyed) target.destroy()
  }
}
