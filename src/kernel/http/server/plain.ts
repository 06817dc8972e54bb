/** A request and its answer on Node's HTTP server alone, without the framework. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import type { Principal } from '../../access/principal.ts'
import type { Note } from '../../audit/note.ts'
import type { Endpoint } from '../../contract/contract.ts'
import { atEndOfTurn } from '../../process/turn-end.ts'
import type { Incoming, Outgoing } from '../api/exchange.ts'
import { callerAddress, protocolOf, type Trust } from './caller.ts'
import { correlationId, isLast } from './edge.ts'

/** A request of which nothing is read before it is asked for. */
export class PlainRequest implements Incoming {
  readonly id: string = correlationId()
  readonly raw: IncomingMessage
  readonly params: Readonly<Record<string, string>>
  readonly routeOptions: Incoming['routeOptions']
  body: unknown = undefined
  principal: Principal | undefined = undefined
  endpoint: Endpoint | undefined = undefined
  note: Note | undefined = undefined
  isIntercepted = false
  readonly #trust: Trust

  constructor(
    raw: IncomingMessage,
    params: Readonly<Record<string, string>>,
    routeOptions: Incoming['routeOptions'],
    trust: Trust,
  ) {
    this.raw = raw
    this.params = params
    this.routeOptions = routeOptions
    this.#trust = trust
  }

  get ip(): string {
    return callerAddress(this.raw, this.#trust)
  }

  get protocol(): string {
    return protocolOf(this.raw, this.#trust)
  }

  get method(): string {
    return this.raw.method!
  }

  get url(): string {
    return this.raw.url!
  }

  get originalUrl(): string {
    return this.raw.url!
  }

  get headers(): IncomingHttpHeaders {
    return this.raw.headers
  }
}

/** An answer whose headers are handed to Node as they are sent: names and values in turn. */
export class PlainReply implements Outgoing {
  readonly raw: ServerResponse
  statusCode = 200
  readonly #headers: string[] = []
  readonly #began = performance.now()
  readonly #state: { readonly isClosing: boolean }
  readonly #sent: (reply: PlainReply) => void
  #ended: number | undefined

  /** `sent` is called when all of it is handed to the system, or whoever asked has left before. */
  constructor(raw: ServerResponse, state: { readonly isClosing: boolean }, sent: (reply: PlainReply) => void) {
    this.#state = state
    this.raw = raw
    this.#sent = sent
    raw.on('finish', () => this.#end())
  }

  #end(): void {
    this.#ended = performance.now()
    this.#sent(this)
  }

  get elapsedTime(): number {
    return (this.#ended ?? performance.now()) - this.#began
  }

  code(status: number): this {
    this.statusCode = status
    return this
  }

  type(contentType: string): this {
    return this.header('content-type', contentType)
  }

  header(name: string, value: string): this {
    const headers = this.#headers
    for (let i = 0; i < headers.length; i += 2) {
      if (headers[i] !== name) continue
      headers[i + 1] = value
      return this
    }
    headers.push(name, value)
    return this
  }

  getHeader(name: string): string | undefined {
    const headers = this.#headers
    for (let i = 0; i < headers.length; i += 2) if (headers[i] === name) return headers[i + 1]
    return undefined
  }

  /** Adds headers that it does not have yet. */
  headers(values: Readonly<Record<string, string>>): this {
    for (const name in values) this.#headers.push(name, values[name]!)
    return this
  }

  send(body?: string | Buffer | Readable): this {
    const { raw, statusCode } = this
    // Who has left is sent nothing, and a response that is over says no more when it ends.
    if (raw.destroyed) {
      this.#end()
      return this
    }
    if (isLast(this.#state, statusCode)) this.header('connection', 'close')
    if (body instanceof Readable) {
      raw.writeHead(statusCode, this.#headers)
      // A caller that goes away ends both.
      pipeline(body, raw, (error) => {
        if (error) this.#end()
      })
      return this
    }
    const length = body === undefined ? 0 : Buffer.byteLength(body)
    // An answer without content has no length (RFC 9110, 8.6).
    if (statusCode !== 204) this.header('content-length', String(length))
    raw.writeHead(statusCode, this.#headers)
    atEndOfTurn(() => {
      if (raw.destroyed) this.#end()
      // What is ASCII need not be encoded.
      else if (length > 0 && statusCode !== 204) raw.end(body, length === body!.length ? 'latin1' : 'utf8')
      else raw.end()
    })
    return this
  }
}
