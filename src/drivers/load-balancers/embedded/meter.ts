/** Counts the connections, requests and bytes of one balancer's clients. Bytes are those on the wire, TLS included. */
import type { Socket } from 'node:net'
import type { Sample } from '../history.ts'

interface Bytes {
  readonly ingoing: number
  readonly outgoing: number
}

export class Meter {
  /** The open connections, with what was counted of their bytes so far. */
  readonly #open = new Map<Socket, Bytes>()
  #connections = 0
  #requests = 0
  #ingoing = 0
  #outgoing = 0

  get openConnections(): number {
    return this.#open.size
  }

  addConnection(socket: Socket): void {
    this.#connections++
    this.#open.set(socket, { ingoing: 0, outgoing: 0 })
    socket.once('close', () => {
      this.#count(socket)
      this.#open.delete(socket)
    })
  }

  addRequest(): void {
    this.#requests++
  }

  /** What happened since the last call. */
  take(): Sample {
    for (const socket of this.#open.keys()) this.#count(socket)
    const sample = {
      openConnections: this.#open.size,
      connections: this.#connections,
      requests: this.#requests,
      ingoing: this.#ingoing,
      outgoing: this.#outgoing,
    }
    this.#connections = 0
    this.#requests = 0
    this.#ingoing = 0
    this.#outgoing = 0
    return sample
  }

  /** Cuts all connections. */
  closeAll(): void {
    for (const socket of this.#open.keys()) socket.destroy()
  }

  #count(socket: Socket): void {
    const before = this.#open.get(socket)!
    const now = { ingoing: socket.bytesRead, outgoing: socket.bytesWritten }
    this.#ingoing += now.ingoing - before.ingoing
    this.#outgoing += now.outgoing - before.outgoing
    this.#open.set(socket, now)
  }
}
