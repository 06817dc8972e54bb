/** Connections whose clients have shown no right password yet, counted by their networks. */
import type { Socket } from 'node:net'
import { networkOf } from '../networks.ts'

/** Of one network at a time. Its clients stay counted until their first request is answered. */
const mostOfNetwork = 128

/** Both ends of a connection that is open; a socket of TLS and the one below it have the same. */
const endsOf = ({ remoteAddress = '', remotePort = 0 }: Socket) => `${remoteAddress} ${remotePort}`

export class Strangers {
  readonly #counts = new Map<string, number>()
  readonly #leave = new Map<string, () => void>()

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
    let isCounted = true
    const leave = () => {
      if (!isCounted) return
      isCounted = false
      if (this.#leave.get(ends) === leave) this.#leave.delete(ends)
      const left = this.#counts.get(network)! - 1
      if (left === 0) this.#counts.delete(network)
      else this.#counts.set(network, left)
    }
    this.#leave.set(ends, leave)
    socket.once('close', leave)
  }

  /** Whoever has shown a password is no stranger any more. */
  leave(socket: Socket): void {
    this.#leave.get(endsOf(socket))?.()
  }
}
