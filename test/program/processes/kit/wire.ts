/** A network between a process and its database, which can swallow what is sent without closing anything. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export class Wire {
  readonly #to: URL
  readonly #sockets = new Set<Socket>()
  readonly #server = createServer((client) => this.#lead(client))
  #isCut = false

  constructor(url: string) {
    this.#to = new URL(url)
  }

  /** Starts leading connections; returns the URL of the database through it. */
  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    const through = new URL(this.#to)
    through.port = String((this.#server.address() as { port: number }).port)
    return through.href
  }

  /** From now on nothing arrives, in either direction, and nobody is told so. */
  cut(): void {
    this.#isCut = true
    for (const socket of this.#sockets) socket.pause()
  }

  /** What was sent meanwhile arrives now. */
  mend(): void {
    this.#isCut = false
    for (const socket of this.#sockets) socket.resume()
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #lead(client: Socket): void {
    const server = connect(Number(this.#to.port), this.#to.hostname)
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from)
      from.on('error', () => undefined)
      from.on('data', (bytes) => to.write(bytes))
      from.once('end', () => to.end())
      from.once('close', () => {
        this.#sockets.delete(from)
        // A cut network tells the other end of nothing.
        if (!this.#isCut) to.destroy()
      })
      if (this.#isCut) from.pause()
    }
  }
}
