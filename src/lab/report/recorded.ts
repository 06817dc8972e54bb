/** A record keeps the parts of a request and its answer that reports need. */
import type { IncomingHttpHeaders } from 'node:http'
import { publicRootOf } from '../../kernel/contract/bases.ts'
import type { Endpoint } from '../../kernel/contract/contract.ts'
import type { Exchange } from '../../kernel/http/api/exchange.ts'
import { injectedHeader } from '../faults/injected.ts'
import { isLost } from '../faults/wire.ts'

/** An action as an answer told of it. */
export interface ToldAction {
  readonly id: number
  readonly command: string
  readonly status: string
}

/** What a request and its answer say, which is the same for equal ones. */
export interface Said {
  /** True when the clock of the lab stood still, or skips. */
  readonly isStill: boolean
  readonly method: string
  readonly url: string
  /** Undefined where there is nothing at the path. */
  readonly endpoint: Endpoint | undefined
  readonly status: number
  readonly code: string | undefined
  /** The id of the token; null for a caller without a valid one. */
  readonly token: number | null
  readonly project: number | null
  readonly headers: SentHeaders
  /** The parsed body of the request. */
  readonly body: unknown
  /** True when the request had a body that was too large to keep. */
  readonly isCut: boolean
  /** The JSON of the answer; undefined where there is none, and for a large one. */
  readonly text: string | undefined
  /** The names of the faults that have hit it, as its answer tells them. */
  readonly injected: string | undefined
  /** True when a fault has kept the answer, or its end, from the client. */
  readonly isLost: boolean
  /** The time of the lab at which the answer tells that requests are admitted again. */
  readonly againMs: number | undefined
  readonly actions: readonly ToldAction[]
  /** The number of the next page of a list, if it has one. */
  readonly nextPage: number | undefined
  /** Roughly the memory that all of it takes. */
  readonly bytes: number
}

export interface Recorded extends Said {
  /** The correlation id. */
  readonly id: string
  /** The time of the answer by the clock of the lab, in milliseconds since the epoch. */
  readonly atMs: number
  /** The clock of the machine says when the request came and when it was answered. */
  readonly cameMs: number
  readonly answeredMs: number
}

/** The headers of a request that say something about its client. */
export type SentHeaders = Pick<IncomingHttpHeaders, (typeof keptHeaders)[number]>

const keptHeaders = ['authorization', 'user-agent', 'accept', 'accept-encoding', 'content-type'] as const

/** The largest body that is kept, in bytes of a request and characters of an answer. */
const largestBody = 65_536

/** A request takes this much besides its bodies and its headers, roughly. */
const usualBytes = 512

const none: readonly ToldAction[] = []

function saidIn(exchange: Exchange, { isStill, headers }: Pick<Said, 'isStill' | 'headers'>): Said {
  const { status, code, text, request, response } = exchange
  const { method, originalUrl: url, principal, body } = request
  // A body that comes in chunks does not say its length.
  const sent = body === undefined ? 0 : Number(request.headers['content-length'] ?? largestBody)
  const isCut = sent > largestBody
  const isTextKept = text !== undefined && text.length <= largestBody
  const reply = exchange.reply as Told | undefined
  return {
    isStill,
    method,
    url,
    // A request that is refused at the door has not got to its endpoint.
    endpoint: exchange.endpoint ?? request.routeOptions.config.endpoint,
    status,
    code,
    token: tokenOf(principal),
    project: projectOf(principal),
    headers,
    body: isCut ? undefined : body,
    isCut,
    text: isTextKept ? text : undefined,
    injected: headerOf(response, injectedHeader),
    isLost: isLost(response.raw),
    againMs: status === 429 ? timeIn(headerOf(response, 'ratelimit-reset')) : undefined,
    actions: actionsIn(reply),
    nextPage: reply?.meta?.pagination?.next_page ?? undefined,
    bytes: usualBytes + lengthOf(headers) + url.length + (isCut ? 0 : sent) + (isTextKept ? text.length : 0),
  }
}

function lengthOf(headers: SentHeaders): number {
  let length = 0
  for (const name of keptHeaders) length += headers[name]?.length ?? 0
  return length
}

type Caller = Exchange['request']['principal']

const tokenOf = (caller: Caller) => caller?.actor.id ?? null
const projectOf = (caller: Caller) => caller?.scope?.projectId ?? null
const isPublic = (url: string) => publicRootOf(url) !== undefined

/** Faults, and limits, tell of themselves in the response alone. */
function headerOf(response: Exchange['response'], name: string): string | undefined {
  const value = response.getHeader(name)
  return value === undefined ? undefined : String(value)
}

/** Headers have seconds. */
function timeIn(seconds: string | undefined): number | undefined {
  return seconds === undefined ? undefined : Number(seconds) * 1_000
}

interface Told {
  readonly action?: ToldAction | null
  readonly actions?: readonly ToldAction[]
  readonly next_actions?: readonly ToldAction[]
  readonly meta?: { readonly pagination?: { readonly next_page: number | null } }
}

function actionsIn({ action, actions, next_actions: next }: Told = {}): readonly ToldAction[] {
  if (!action && !actions && !next) return none
  const told = [...(action ? [action] : []), ...(actions ?? []), ...(next ?? [])]
  return told.map(({ id, command, status }) => ({ id, command, status }))
}

const operations = new WeakMap<Endpoint, string>()

/** An operation as reports call it: its method and path, with parameters in braces. */
export function operationOf({ method, endpoint }: Pick<Recorded, 'method' | 'endpoint'>): string {
  if (!endpoint) return `${method} (no operation)`
  const known = operations.get(endpoint) ?? `${endpoint.method} ${endpoint.path}`
  operations.set(endpoint, known)
  return known
}

/** The most URLs whose last request is known, and roughly the most memory that these take. */
const mostShared = 4_096
const mostSharedBytes = 4 * 2 ** 20

/** What equal requests share: clients ask for the same again and again, with the same headers, and are told the same. */
export class Shared {
  readonly #said = new Map<string, Said>()
  readonly #headers = new Map<number | null, SentHeaders>()
  #bytes = 0

  /**
   * What is kept of an exchange; undefined for what is no request of a program to the public API. It is called for every
   * request, so that it only takes what is there.
   */
  said(exchange: Exchange, isStill: boolean): Said | undefined {
    const { principal, originalUrl: url, headers, body } = exchange.request
    if (principal !== undefined && principal.actor.kind !== 'token') return undefined
    const before = this.#said.get(url)
    if (before?.isStill === isStill && isLike(before, exchange)) return before
    if (!isPublic(url)) return undefined
    const said = saidIn(exchange, { isStill, headers: this.#headersOf(tokenOf(principal), headers) })
    if (body !== undefined) return said
    this.#keep(url, said)
    return said
  }

  #keep(url: string, said: Said): void {
    this.#bytes += said.bytes - (this.#said.get(url)?.bytes ?? 0)
    if (this.#said.size >= mostShared || this.#bytes > mostSharedBytes) {
      this.#said.clear()
      this.#bytes = said.bytes
    }
    this.#said.set(url, said)
  }

  /** The headers of a request, or the equal ones that its token had before. */
  #headersOf(token: number | null, given: IncomingHttpHeaders): SentHeaders {
    const before = this.#headers.get(token)
    if (before && areLike(before, given)) return before
    const picked = Object.fromEntries(keptHeaders.flatMap((name) => (given[name] ? [[name, given[name]]] : [])))
    if (this.#headers.size >= mostShared) this.#headers.clear()
    this.#headers.set(token, picked)
    return picked
  }
}

/** Tells whether a request without a body, and its answer, are like one to the same URL. */
function isLike(before: Said, { status, code, text, reply, request, response }: Exchange): boolean {
  const { method, principal, body } = request
  return (
    body === undefined &&
    (text !== undefined || reply === undefined) &&
    before.status === status &&
    before.method === method &&
    before.code === code &&
    before.token === tokenOf(principal) &&
    before.project === projectOf(principal) &&
    before.text === text &&
    before.againMs === undefined &&
    before.injected === headerOf(response, injectedHeader) &&
    before.isLost === isLost(response.raw) &&
    areLike(before.headers, request.headers)
  )
}

function areLike(before: SentHeaders, given: IncomingHttpHeaders): boolean {
  for (const name of keptHeaders) if (before[name] !== given[name]) return false
  return true
}
