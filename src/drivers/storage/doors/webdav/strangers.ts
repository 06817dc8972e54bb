/** Connections whose clients have shown no right password yet, counted by their networks. */
import type { Socket } from 'node:net'
import { networkOf } from '../networks.ts'

/** Of one network at a time. Its clients are counted until they have. */
const mostOfNetwork = 128
/** The first request comes within so many milliseconds: Node.js waits for ever for the first byte of one. */
const patienceMs = 10_000

/** Both ends of a connection that is open; a socket of TLS and the one below it have the same. */
const endsOf = ({ remoteAddress = '', remotePort = 0 }: Socket) => `${remoteAddress} ${remotePort}`

interface Stranger {
  readonly patience: NodeJS.Timeout
  leave(): void
}

export class Strangers {
  readonly #counts = new Map<string, number>()
  readonly #known = new Map<string, Stranger>()

  /** Counts a connection that has just come; ends it where its network has as many as it may have. */
  enter(socket: Socket): void {
    const network = networkOf(socket.remoteAddress ?? '')
    const count = this.#counts.get(network) ?? 0
    if (count >= mostOfNetwork) {
      socket.destroy()
      return
    }
    this.#counts.set(network, count + 1)
    const ends = endsOf(socket)
    const patience = setTimeout(() => socket.destroy(), patienceMs)
    let isCounted = true
    const leave = () => {
      if (!isCounted) return
      isCounted = false
      clearTimeout(patience)
      if (this.#known.get(ends)?.leave === leave) this.#known.delete(ends)
      const left = this.#counts.get(network)! - 1
      if (left === 0) this.#counts.delete(network)
      else this.#counts.set(network, left)
    }
    this.#known.set(ends, { leave, patience })
    socket.once('close', leave)
  }

  /** A request has come, which is refused or not. */
  hear(socket: Socket): void {
    clearTimeout(this.#known.get(endsOf(socket))?.patience)
  }

  /** Whoever has shown a password is no stranger any more. */
  leave(socket: Socket): void {
    this.#known.get(endsOf(socket))?.leave()
  }
}
