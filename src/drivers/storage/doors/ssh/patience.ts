/** How long a connection may take to come in, which is less where others wait for its place. */
import type { Socket } from 'node:net'

export interface Limits {
  /** It ends after so many milliseconds. */
  readonly ms: number
  /** It ends when its client has been silent for this or twice as long, if its place is awaited then. */
  readonly silentMs: number
}

export class Patience {
  readonly #socket: Socket
  readonly #isAwaited: () => boolean
  #late: NodeJS.Timeout | undefined
  #silent: NodeJS.Timeout | undefined
  /** Answers that the client waits for, and those that it has. */
  #owed = 0
  #given = 0
  /** What had come of the client, and been answered, when this was looked at last. */
  #before = 0

  /** `isAwaited` tells whether somebody else waits for the place of this connection. */
  constructor(socket: Socket, isAwaited: () => boolean) {
    this.#socket = socket
    this.#isAwaited = isAwaited
    socket.once('close', () => this.end())
  }

  /** Begins to wait for the next thing that a client has to do. */
  begin({ ms, silentMs }: Limits): void {
    this.end()
    this.#before = this.#soFar()
    this.#late = setTimeout(() => this.#socket.destroy(), ms)
    // What has come meanwhile is read before a turn that was late takes its client for silent.
    this.#silent = setInterval(() => setImmediate(() => this.#look()), silentMs)
  }

  /** Nobody is silent while he waits for an answer. */
  async answered(answer: Promise<void>): Promise<void> {
    this.#owed++
    await answer.finally(() => {
      this.#owed--
      this.#given++
    })
  }

  end(): void {
    clearTimeout(this.#late)
    clearInterval(this.#silent)
    this.#silent = undefined
  }

  #soFar(): number {
    return this.#socket.bytesRead + this.#given
  }

  #look(): void {
    const isSilent = this.#owed === 0 && this.#soFar() === this.#before
    this.#before = this.#soFar()
    if (this.#silent && isSilent && this.#isAwaited()) this.#socket.destroy()
  }
}
