/** One request and its answer: chooses a target, forwards both ways as they come, and answers for targets that fail. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { afterReading } from '../../../../kernel/process/after-reading.ts'
import type { AnswerHead } from '../targets/answer-parser.ts'
import type { Backend } from '../targets/backend.ts'
import type { Connected } from '../targets/backends.ts'
import { type Asker, type Owner, TargetConnection } from '../targets/target-connection.ts'
import { answerHeaders, type ForwardedHead, keptTrailers, trailerText } from './headers.ts'
import { beginAnswer, breakOff, endAfter, type Refusal, refuse, sendContinue, streamOf } from './messages.ts'

/** What an exchange needs of its service. */
export interface ExchangeService {
  /** Reuses no connections and begins each with a header of the PROXY protocol. */
  readonly proxyHeader: ((client: IncomingMessage) => Buffer) | undefined
  readonly idleMs: number
  choose(cookie: string | undefined): Backend | undefined
  connect(first: Backend | undefined, isWanted: () => boolean): Promise<Connected | undefined>
  /** The header that makes the client come back to the target; undefined when it need not be sent. */
  cookieFor(owner: Owner, cookie: string | undefined): string | undefined
}

/** What happens once the target agrees to another protocol. */
export type Agreed = (answer: AnswerHead, target: Socket, rest: Buffer) => void

const repeatable = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE'])

/** A last piece of a body that is no longer than this is sent together with what is before it, as one text. */
const shortBytes = 8_192

export class Exchange implements Asker {
  readonly #service: ExchangeService
  readonly #request: IncomingMessage
  readonly #answer: ServerResponse
  readonly #head: ForwardedHead
  readonly #agreed: Agreed | undefined
  /** Called when the target is no longer waited for. */
  readonly #done: () => void
  #backend: Backend | undefined
  #connection: TargetConnection | undefined
  #isAnswered = false
  #isDone = false
  hasSent = false

  constructor(parts: {
    service: ExchangeService
    request: IncomingMessage
    answer: ServerResponse
    head: ForwardedHead
    /** Missing where no other protocol is asked for. */
    agreed?: Agreed | undefined
    done: () => void
  }) {
    this.#service = parts.service
    this.#request = parts.request
    this.#answer = parts.answer
    this.#head = parts.head
    this.#agreed = parts.agreed
    this.#done = parts.done
    this.#answer.on('close', () => {
      if (this.#end()) this.#connection?.abandon()
    })
  }

  start(): void {
    if (this.#isDone) return
    this.#backend = this.#service.choose(this.#head.cookie)
    const connection = this.#isRepeatable ? this.#backend?.takeIdle() : undefined
    if (connection) this.#send(connection)
    else void this.#connect(this.#backend)
  }

  get method(): string {
    return this.#head.method
  }

  /** Only what can be sent again uses an idle connection, which its target may be about to close. */
  get #isRepeatable(): boolean {
    return !this.#head.hasBody && !this.#agreed && !this.#service.proxyHeader && repeatable.has(this.#head.method)
  }

  async #connect(first: Backend | undefined): Promise<void> {
    const { proxyHeader, idleMs } = this.#service
    const found = await this.#service.connect(first, () => !this.#isDone)
    if (this.#isDone) return void found?.socket.destroy()
    if (!found) return void this.#fail(503)
    if (proxyHeader) found.socket.write(proxyHeader(this.#request))
    this.#send(new TargetConnection(found.socket, found.backend, { isKept: !proxyHeader, idleMs }))
  }

  #send(connection: TargetConnection): void {
    this.#connection = connection
    this.hasSent = !this.#head.hasBody
    connection.ask(this, this.#head.text)
    if (this.#head.hasBody) this.#sendBody(connection.socket)
  }

  #sendBody(target: Socket): void {
    const request = this.#request
    const { isChunked } = this.#head
    request.on('data', (chunk: Buffer) => {
      // A target that has answered may not want the rest, which is read all the same.
      if (this.#isDone || target.destroyed) return
      target.cork()
      if (isChunked) target.write(`${chunk.length.toString(16)}\r\n`, 'latin1')
      target.write(chunk)
      if (isChunked) target.write('\r\n', 'latin1')
      target.uncork()
      if (target.writableNeedDrain) request.pause()
    })
    const resume = () => void request.resume()
    target.on('drain', resume)
    target.on('close', resume)
    request.on('end', () => {
      // The connection may outlive the request.
      target.off('drain', resume)
      target.off('close', resume)
      if (this.#isDone || target.destroyed) return
      this.hasSent = true
      if (isChunked) target.write(`0\r\n${trailerText(request.rawTrailers)}\r\n`, 'latin1')
    })
  }

  // ---- What the target answers --------------------------------------------------------------------------------------

  onContinue(): void {
    if (this.#request.headers.expect) sendContinue(this.#answer)
  }

  onSwitch(agreement: AnswerHead, target: Socket, rest: Buffer): void {
    if (!this.#agreed) {
      // Nobody asked for it.
      target.destroy()
      this.#fail(502)
      return
    }
    this.#isAnswered = true
    this.#end()
    const { owner } = this.#connection!
    owner.load++
    target.once('close', () => owner.load--)
    this.#agreed(agreement, target, rest)
  }

  onHead(head: AnswerHead): void {
    this.#isAnswered = true
    try {
      this.#writeHead(head)
    } catch {
      // A header that the parser lets pass, but that must not be sent. HTTP/2 remembers it, and cannot begin anew.
      this.#connection!.abandon()
      if (streamOf(this.#answer)) this.#break()
      else this.#fail(502)
    }
  }

  #writeHead(head: AnswerHead): void {
    const answer = this.#answer
    const headers = answerHeaders(head)
    const cookie = this.#service.cookieFor(this.#connection!.owner, this.#head.cookie)
    if (cookie !== undefined) headers.push('Set-Cookie', cookie)
    // What the client still sends has no reader once this is over.
    if (this.#isStillSent) endAfter(answer)
    beginAnswer(answer, head, headers)
    // An answer of unknown length may be a stream whose beginning is waited for.
    if (!head.hasLength) answer.flushHeaders()
  }

  onData(bytes: Buffer): void {
    if (this.#answer.write(bytes)) return
    const { socket } = this.#connection!
    socket.pause()
    this.#answer.once('drain', () => socket.resume())
  }

  onEnd(last: Buffer | undefined, trailers: string[]): void {
    const answer = this.#answer
    if (trailers.length > 0) answer.addTrailers(Object.fromEntries(keptTrailers(trailers)))
    this.#end()
    // One text is one write, which costs much less than two parts of one.
    const isShort = last && last.length <= shortBytes
    afterReading(() => (isShort ? answer.end(last.toString('latin1'), 'latin1') : answer.end(last)))
  }

  get #isStillSent(): boolean {
    return this.#head.hasBody && !this.#request.complete
  }

  onBroken(): void {
    if (this.#isDone) return
    if (this.#isAnswered) this.#break()
    // The target closed the idle connection just when it was taken.
    else if (this.#connection!.isReused) void this.#connect(this.#backend)
    else this.#fail(502)
  }

  onTimeout(): void {
    this.#connection!.abandon()
    if (this.#isAnswered) this.#break()
    else this.#fail(504)
  }

  /** Answers in place of the target. */
  #fail(status: Refusal): void {
    if (this.#end()) refuse(this.#request, this.#answer, status)
  }

  #break(): void {
    if (this.#end()) breakOff(this.#answer)
  }

  /** Returns whether it was the end. */
  #end(): boolean {
    if (this.#isDone) return false
    this.#isDone = true
    this.#done()
    return true
  }
}
