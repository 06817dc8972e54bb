/** Sends the replies of handlers as JSON, in the shape that the date asks for. */
import { asOf, successStatus } from '../../contract/as-of.ts'
import type { Download } from '../../contract/bytes.ts'
import { inEffect, kernelChanges } from '../../contract/changes.ts'
import type { Endpoint } from '../../contract/contract.ts'
import { originOf } from '../../contract/urls.ts'
import { type AtOnce, after } from '../../process/at-once.ts'
import type { Clock } from '../../process/clock.ts'
import { sendDownload } from './bytes.ts'
import { inChunks } from './chunks.ts'
import { isCompressible, pack, preferredEncoding } from './compress.ts'
import type { Incoming, Observe, Outgoing } from './exchange.ts'
import { type Json, toJson } from './json-pieces.ts'
import { linkHeader, type PageNumbers } from './link.ts'

export const json = 'application/json; charset=utf-8'

interface ReplyOptions {
  readonly clock: Clock
  readonly publicOrigins?: readonly string[]
  readonly observe?: Observe
}

/** The facts besides the request that a reply depends on. */
export interface Replying {
  readonly endpoint: Endpoint
  /** The time (ms since the epoch) from which on its replies have today's shape. */
  readonly currentFrom: number
}

/** Sends what a handler returned, with the status and the links of its endpoint. */
export function answer(
  request: Incoming,
  reply: Outgoing,
  { endpoint, currentFrom }: Replying,
  result: unknown,
  options: ReplyOptions,
): AtOnce<Outgoing> {
  const now = options.clock.now()
  const status = successStatus(endpoint, now)
  reply.code(status)
  const tell = (text?: string) =>
    options.observe?.({ endpoint, status, code: undefined, reply: result, text, request, response: reply })
  if (endpoint.sendsBytes) {
    tell()
    return sendDownload(request, reply, result as Download)
  }
  const form = endpoint.forms && formFor(request.headers.accept, endpoint.forms)
  if (status === 204 || form) {
    tell()
    return form ? sendForm(request, reply, form, result) : reply.send()
  }
  const pagination = (result as { meta?: { pagination?: PageNumbers } }).meta?.pagination
  const links = pagination && !inEffect(kernelChanges.link_header_removed, now)
  const link = links ? linkHeader(linksFrom(request, options), request.originalUrl, pagination) : undefined
  if (link) reply.header('link', link)
  const send = (made: Json) => {
    if (options.observe) tell(textOf(made))
    if (!inEffect(kernelChanges.compression_added, now)) return sendWhole(reply.type(json), made)
    return sendJson(request, reply.type(json), made)
  }
  return after(toJson(now < currentFrom ? asOf(result, endpoint.reply!, now) : result), send)
}

type Form = readonly [type: string, write: (reply: unknown) => string | Buffer]

function formFor(accept = '', forms: NonNullable<Endpoint['forms']>): Form | undefined {
  return Object.entries(forms).find(([type]) => accept.includes(type))
}

/** Sends a reply in another form than JSON; the next page, if there is one, is linked. */
function sendForm(request: Incoming, reply: Outgoing, [type, write]: Form, result: unknown): Outgoing {
  const { meta } = result as { readonly meta?: { readonly next: number | null } }
  if (meta && meta.next !== null) {
    const url = new URL(request.originalUrl, 'http://localhost')
    url.searchParams.set('before', String(meta.next))
    reply.header('link', `<${url.pathname}${url.search}>; rel="next"`)
  }
  const made = write(result)
  return reply
    .type(typeof made === 'string' ? `${type}; charset=utf-8` : type)
    .header('vary', 'accept')
    .send(made)
}

/** Sends JSON, compressed according to Accept-Encoding. */
export function sendJson(request: Incoming, reply: Outgoing, made: Json): AtOnce<Outgoing> {
  if (typeof made === 'string' && !isCompressible(made)) return reply.send(made)
  reply.header('vary', 'accept-encoding')
  const encoding = preferredEncoding(request.headers['accept-encoding'])
  if (encoding === 'identity') return sendWhole(reply, made)
  reply.header('content-encoding', encoding)
  return after(pack(typeof made === 'string' ? made : Buffer.concat(made), encoding), (body) => reply.send(body))
}

/** Sends JSON as it is; what is large comes in chunks. */
function sendWhole(reply: Outgoing, made: Json): Outgoing {
  if (typeof made === 'string') return reply.send(made)
  // Who has left meanwhile is sent nothing, which the framework would take for a failure of what is read.
  if (reply.raw.destroyed) return reply.send()
  const length = made.reduce((sum, part) => sum + part.length, 0)
  return reply.header('content-length', String(length)).send(inChunks(made))
}

const textOf = (made: Json) => (typeof made === 'string' ? made : Buffer.concat(made).toString())

/** The origin of links in a reply; empty when they must stay on the caller's host. */
export function linksFrom(
  { protocol, headers }: Pick<Incoming, 'protocol' | 'headers'>,
  { publicOrigins = [] }: Pick<ReplyOptions, 'publicOrigins'>,
): string {
  return originOf(protocol, headers.host, publicOrigins)
}
