/** A secondary name server, as far as it is told of changes (RFC 1996). */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { decode } from 'dns-packet'

export class Secondary {
  /** The zones of which it was told that they have changed. */
  readonly told = new Set<string>()
  readonly #socket = createSocket('udp4')

  /** Starts listening; returns the port. */
  async start(): Promise<number> {
    this.#socket.on('message', (message) => {
      const isNotify = ((message[2]! >> 3) & 0xf) === 4
      if (isNotify) for (const { name } of decode(message).questions ?? []) this.told.add(name)
    })
    this.#socket.bind(0, '127.0.0.1')
    await once(this.#socket, 'listening')
    return this.#socket.address().port
  }

  async stop(): Promise<void> {
    this.#socket.close()
    await once(this.#socket, 'close')
  }
}
