/** Load that counts what fails: requests in loops, and long connections that send all the time. */

import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { type Answer, echo } from './clients.ts'

/** Repeats requests until it is stopped, and counts. */
export class Load {
  requests = 0
  readonly failures: string[] = []
  readonly #loops: Promise<void>[] = []
  #isOver = false

  /** Runs so many loops of these requests; each has to be answered with 200. */
  start(kind: string, count: number, make: () => () => Promise<Answer>): void {
    for (let i = 0; i < count; i++) this.#loops.push(this.#loop(kind, make()))
  }

  /** Sends over a connection that has to stay, and compares what comes back. */
  keep(kind: string, exchange: (message: string) => Promise<string>): void {
    this.#loops.push(this.#keep(kind, exchange))
  }

  /** Ends the loops after their last request. */
  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#loops)
  }

  async #loop(kind: string, ask: () => Promise<Answer>): Promise<void> {
    while (!this.#isOver) {
      try {
        const { status, body } = await ask()
        if (status !== 200) this.#fail(kind, `${status} ${body}`)
      } catch (error) {
        this.#fail(kind, String(error))
        // Whoever does not listen is not asked thousands of times.
        await delay(5)
      }
      this.requests++
    }
  }

  async #keep(kind: string, exchange: (message: string) => Promise<string>): Promise<void> {
    for (let n = 0; !this.#isOver; n++) {
      const message = `message ${n};`
      const answer = await exchange(message)
      if (answer !== message) return this.#fail(kind, `ended after ${n} messages: '${answer}'`)
      await delay(10)
    }
  }

  #fail(kind: string, reason: string): void {
    this.failures.push(`${kind}: ${reason}`)
  }
}

export const overTcp = (socket: Socket) => (message: string) => echo(socket, message)

/** Exchanges over a WebSocket whose target sends back what it gets. */
export function overWebSocket(socket: WebSocket): (message: string) => Promise<string> {
  return (message) => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const receive = (data: unknown) => finish(String(data))
    const end = (code: number) => finish(`closed with ${code}`)
    const finish = (outcome: string) => {
      socket.off('message', receive).off('close', end)
      resolve(outcome)
    }
    socket.once('message', receive).once('close', end)
    if (socket.readyState === WebSocket.OPEN) socket.send(message)
    else finish('is not open')
    return promise
  }
}
