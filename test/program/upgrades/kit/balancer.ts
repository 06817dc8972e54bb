/** A load balancer of TCP connections, which asks each server for its health. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** A server that connections are led to. */
export interface Backend {
  readonly url: URL
  isWell: boolean
  /** The connections that were led there. */
  count: number
}

export class Balancer {
  readonly #backends = new Set<Backend>()
  readonly #open = new Set<Socket>()
  readonly #server = createServer((client) => this.#lead(client))
  #turn = 0
  #isOpen = true
  #checks: Promise<void> | undefined

  /** Starts listening; returns the base URL of the API. */
  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#checks = this.#check()
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`
  }

  /** Leads connections to a server, too, as long as it is well. */
  add(baseUrl: string): Backend {
    const backend = { url: new URL(baseUrl), isWell: false, count: 0 }
    this.#backends.add(backend)
    return backend
  }

  remove(backend: Backend): void {
    this.#backends.delete(backend)
  }

  async close(): Promise<void> {
    this.#isOpen = false
    for (const socket of this.#open) socket.destroy()
    this.#server.close()
    await this.#checks
  }

  async #check(): Promise<void> {
    while (this.#isOpen) {
      await Promise.all(
        [...this.#backends].map(async (backend) => {
          const answer = await fetch(new URL('/health/reads', backend.url)).catch(() => undefined)
          await answer?.arrayBuffer()
          backend.isWell = answer?.status === 200
        }),
      )
      await delay(20)
    }
  }

  /** Leads a connection to the next server that is well and takes it. */
  #lead(client: Socket, tried = 0): void {
    this.#open.add(client)
    client.on('error', () => undefined).once('close', () => this.#open.delete(client))
    const well = [...this.#backends].filter(({ isWell }) => isWell)
    const backend = well[this.#turn++ % well.length]
    if (!backend || tried > 10) return void client.destroy()
    const server = connect(Number(backend.url.port), backend.url.hostname)
    server.once('connect', () => {
      backend.count++
      client.pipe(server).pipe(client)
      server.removeAllListeners('error').on('error', () => client.destroy())
      client.once('close', () => server.destroy())
    })
    server.once('error', () => this.#lead(client, tried + 1))
  }
}
