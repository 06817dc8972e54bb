/** Lets requests that come at once on one connection of HTTP/1.1 begin one after the other, so that they cost one target. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** More requests than any client sends without waiting for answers. */
const mostWaiting = 100

export class Turns {
  readonly #lines = new WeakMap<Socket, (() => void)[]>()

  /** Whether an answer is still to be sent. */
  areTaken(socket: Socket): boolean {
    return this.#lines.has(socket)
  }

  /** Begins once the answers before this one have been sent. */
  take(socket: Socket, answer: ServerResponse, begin: () => void): void {
    const line = this.#lines.get(socket)
    answer.once('close', () => this.#next(socket))
    if (!line) {
      this.#lines.set(socket, [])
      begin()
    } else if (line.push(begin) > mostWaiting) socket.destroy()
  }

  #next(socket: Socket): void {
    const begin = socket.destroyed ? undefined : this.#lines.get(socket)?.shift()
    if (begin) begin()
    else this.#lines.delete(socket)
  }
}
