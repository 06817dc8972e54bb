/** A connection to a target that speaks HTTP, which serves one request after the other. */
import type { Socket } from 'node:net'
import { afterReading } from '../../../../kernel/process/after-reading.ts'
import { type AnswerHead, AnswerParser, type AnswerTaker, BadAnswer } from './answer-parser.ts'

/** Whose connection it is. */
export interface Owner {
  /** How many requests are at the target. */
  load: number
  /** The value of the cookie that leads to it. */
  readonly cookie: string
  /** Gets the connection back once it can serve another request. */
  release(connection: TargetConnection): void
  /** Must be told when an idle connection ends. */
  forget(connection: TargetConnection): void
}

/** Who asks for something. Each answer has an end, or is broken. */
export interface Asker extends Omit<AnswerTaker, 'onSwitch'> {
  readonly method: string
  /** Whether all of the request was written. */
  readonly hasSent: boolean
  onSwitch(head: AnswerHead, target: Socket, rest: Buffer): void
  /** It is the last call: the connection ended, or what came is no answer. */
  onBroken(): void
  /** Nothing was sent or received for the idle time. */
  onTimeout(): void
}

export class TargetConnection implements AnswerTaker {
  readonly socket: Socket
  readonly owner: Owner
  /** Whether it has served a request before. */
  isReused = false
  readonly #isKept: boolean
  /** Undefined while the connection is idle. */
  #asker: Asker | undefined
  /** Whether the request of the asker is on its way. */
  #isAsked = false
  readonly #parser = new AnswerParser(this)

  constructor(socket: Socket, owner: Owner, { isKept, idleMs }: { isKept: boolean; idleMs: number }) {
    this.socket = socket
    this.owner = owner
    this.#isKept = isKept
    socket.setTimeout(idleMs, () => (this.#asker ? this.#asker.onTimeout() : socket.destroy()))
    socket.on('data', this.#read)
    socket.on('end', this.#readEnd)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      owner.forget(this)
      this.#break()
    })
  }

  /** Sends the head of a request; its body follows by `write`. */
  ask(asker: Asker, head: string): void {
    this.owner.load++
    this.#asker = asker
    const write = () => {
      // Who asked may have given up meanwhile.
      if (this.#asker !== asker) return
      this.#isAsked = true
      this.#parser.begin(asker.method)
      this.socket.write(head, 'latin1')
    }
    // A body follows at once.
    if (asker.hasSent) afterReading(write)
    else write()
  }

  /** Gives the request up: whoever asked hears no more. */
  abandon(): void {
    if (this.#leave()) this.socket.destroy()
  }

  /** Ends the request, and returns who asked. */
  #leave(): Asker | undefined {
    const asker = this.#asker
    if (!asker) return undefined
    this.owner.load--
    this.#asker = undefined
    this.#isAsked = false
    this.#parser.stop()
    return asker
  }

  readonly #read = (bytes: Buffer): void => {
    // Bytes that nobody asked for could pass for the answer to the next request.
    if (!this.#isAsked) return void this.socket.destroy()
    try {
      this.#parser.take(bytes)
    } catch (error) {
      this.#refuse(error)
    }
    if (this.#parser.hasEnded) this.#settle()
  }

  readonly #readEnd = (): void => {
    try {
      if (this.#isAsked) {
        this.#parser.end()
        this.#leave()
      }
    } catch (error) {
      this.#refuse(error)
    }
    this.socket.destroy()
  }

  #refuse(error: unknown): void {
    if (!(error instanceof BadAnswer)) throw error
    this.#break()
    this.socket.destroy()
  }

  /** After an answer, the connection serves another request if neither side has more to say. */
  #settle(): void {
    const asker = this.#leave()
    // It was given up, or speaks another protocol.
    if (!asker) return
    const { socket } = this
    const isKept = this.#isKept && this.#parser.isReusable && asker.hasSent && socket.writableLength === 0
    if (!isKept) return void socket.destroy()
    if (socket.isPaused()) socket.resume()
    this.isReused = true
    this.owner.release(this)
  }

  #break(): void {
    this.#leave()?.onBroken()
  }

  // ---- What the parser reads ----------------------------------------------------------------------------------------

  onContinue(): void {
    this.#asker?.onContinue()
  }

  onSwitch(head: AnswerHead, rest: Buffer): void {
    this.socket.off('data', this.#read)
    this.socket.off('end', this.#readEnd)
    this.#leave()?.onSwitch(head, this.socket, rest)
  }

  onHead(head: AnswerHead): void {
    this.#asker?.onHead(head)
  }

  onData(bytes: Buffer): void {
    this.#asker?.onData(bytes)
  }

  onEnd(last: Buffer | undefined, trailers: string[]): void {
    this.#asker?.onEnd(last, trailers)
  }
}
