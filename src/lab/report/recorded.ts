/** A record keeps the parts of a request and its answer that reports need. */
import type { IncomingHttpHeaders } from 'node:http'
import { publicBase } from '../../kernel/contract/bases.ts'
import type { Endpoint } from '../../kernel/contract/contract.ts'
import type { Exchange } from '../../kernel/http/api/exchange.ts'
import { injectedHeader } from '../faults/injected.ts'

/** An action as an answer told of it. */
export interface ToldAction {
  readonly id: number
  readonly command: string
  readonly status: string
}

export interface Recorded {
  /** The correlation id. */
  readonly id: string
  /** The time of the answer by the clock of the lab, in milliseconds since the epoch. */
  readonly atMs: number
  /** The clock of the machine says when the request came and when it was answered. */
  readonly cameMs: number
  readonly answeredMs: number
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
  readonly actions: readonly ToldAction[]
  /** The number of the next page of a list, if it has one. */
  readonly nextPage: number | undefined
  /** Roughly the memory that all of it takes. */
  readonly bytes: number
}

/** The headers of a request that say something about its client. */
export type SentHeaders = Pick<IncomingHttpHeaders, (typeof keptHeaders)[number]>

const keptHeaders = ['authorization', 'user-agent', 'accept', 'accept-encoding', 'content-type'] as const

/** The largest body that is kept, in bytes of a request and characters of an answer. */
const largestBody = 65_536

/** A request takes this much besides its bodies, roughly. */
const usualBytes = 512

const none: readonly ToldAction[] = []

/**
 * What is kept of an exchange; undefined for what is no request of a program to the public API. It is called for every
 * request, so that it only takes what is there.
 */
export function recordedOf(exchange: Exchange, atMs: number, shared: Shared): Recorded | undefined {
  const { status, code, text, request, response } = exchange
  const { method, originalUrl: url, headers, principal, body } = request
  const isProgram = principal === undefined || principal.actor.kind === 'token'
  if (!isProgram || !isPublic(url)) return undefined
  const answeredMs = Date.now()
  // A body that comes in chunks does not say its length.
  const sent = body === undefined ? 0 : Number(headers['content-length'] ?? largestBody)
  const isCut = sent > largestBody
  const isTextKept = text !== undefined && text.length <= largestBody
  const token = principal?.actor.id ?? null
  return {
    id: request.id,
    atMs,
    cameMs: answeredMs - Math.round(response.elapsedTime),
    answeredMs,
    method,
    url,
    // A request that is refused at the door has not got to its endpoint.
    endpoint: exchange.endpoint ?? request.routeOptions.config.endpoint,
    status,
    code,
    token,
    project: principal?.scope?.projectId ?? null,
    headers: shared.headers(token, headers),
    body: isCut ? undefined : body,
    isCut,
    text: isTextKept ? shared.answer(url, text) : undefined,
    injected: injectedInto(response),
    actions: actionsIn(exchange.reply as Told | undefined),
    nextPage: (exchange.reply as Told | undefined)?.meta?.pagination?.next_page ?? undefined,
    bytes: usualBytes + url.length + (isCut ? 0 : sent) + (isTextKept ? text.length : 0),
  }
}

const isPublic = (url: string) => url.startsWith(`${publicBase}/`)

interface Headed {
  getHeader?(name: string): unknown
}

/** A fault tells of itself only in a header of the response, of which observers are told no more than its time. */
function injectedInto(response: object): string | undefined {
  const names = (response as Headed).getHeader?.(injectedHeader)
  return names === undefined ? undefined : String(names)
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

/** The most URLs whose last answer is known. */
const mostShared = 4_096

/**
 * What equal requests share. Clients ask for the same again and again, with the same headers, and memory that is kept for
 * each request is what recording costs most.
 */
export class Shared {
  readonly #answers = new Map<string, string>()
  readonly #headers = new Map<number | null, SentHeaders>()

  /** The text of an answer, or the equal one that the URL had before. */
  answer(url: string, text: string): string {
    const before = this.#answers.get(url)
    if (before === text) return before
    if (this.#answers.size >= mostShared) this.#answers.clear()
    this.#answers.set(url, text)
    return text
  }

  /** The headers of a request, or the equal ones that its token had before. */
  headers(token: number | null, given: IncomingHttpHeaders): SentHeaders {
    const before = this.#headers.get(token)
    if (before && keptHeaders.every((name) => before[name] === given[name])) return before
    const picked = Object.fromEntries(keptHeaders.flatMap((name) => (given[name] ? [[name, given[name]]] : [])))
    if (this.#headers.size >= mostShared) this.#headers.clear()
    this.#headers.set(token, picked)
    return picked
  }
}
