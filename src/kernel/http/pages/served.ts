/**
 * Routes of pages for browsers that are not part of the contract: with methods, forms and cookies. They need no token, are
 * charged to the network of the caller, answer only under hosts of this server, and take changes only from its own pages.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Browser } from '../../contract/browser.ts'
import { searchOf } from '../../contract/urls.ts'
import { clientNetwork } from '../../process/network.ts'
import { type Admission, visitor } from '../admission/admission.ts'
import { foreignRefusal, strangeHostRefusal } from '../admission/console-api.ts'
import type { Limiter } from '../admission/rate-limit.ts'
import type { Incoming } from '../api/exchange.ts'

/** A request as a page gets it. */
export interface ServedCall {
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** The network of the caller, see `clientNetwork`. */
  readonly network: string
  /** The browser's origin, such as `https://cloud.example.com`. */
  readonly origin: string
}

export interface ServedAnswer {
  readonly status: number
  /** A list sends the header several times. */
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body?: string
}

export interface ServedRoute {
  readonly method: 'GET' | 'POST'
  readonly path: string
  answer(call: ServedCall): Promise<ServedAnswer>
}

/** The methods by path. */
export type Served = Map<string, string[]>

interface ServedOptions {
  readonly limits: { readonly networks: Limiter }
  readonly publicOrigins?: readonly string[]
}

/** Forms are small. */
const mostBytes = 65_536

/** Adds routes; a GET also answers HEAD. */
export function addServed(
  server: FastifyInstance,
  served: Served,
  routes: readonly ServedRoute[],
  options: ServedOptions,
): void {
  void server.register(async (own) => {
    own.removeAllContentTypeParsers()
    own.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes))
    for (const { method, path, answer } of routes) {
      const methods = method === 'GET' ? ['GET', 'HEAD'] : [method]
      served.set(path, [...(served.get(path) ?? []), ...methods].sort())
      own.route({
        method,
        url: path,
        bodyLimit: mostBytes,
        handler: async (request, reply) => {
          const { status, headers, body } = await answer(toCall(request, options))
          return reply.code(status).headers(headers).send(body)
        },
      })
    }
  })
}

/** Refusals: `rate_limit_exceeded`, `invalid_input` with status 421 for a foreign host, `forbidden` for a foreign page. */
export function admitServed(request: FastifyRequest, options: ServedOptions): Admission {
  const admission = visitor(request, options)
  const refusal = admission.refusal ?? strangeHostRefusal(request, options.publicOrigins) ?? foreignRefusal(request)
  return { ...admission, ...(refusal ? { refusal } : {}) }
}

function toCall(request: FastifyRequest, options: ServedOptions): ServedCall {
  const { headers, body, ip, url } = request
  return {
    query: new URLSearchParams(searchOf(url)),
    headers,
    body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
    network: clientNetwork(ip),
    origin: originFor(request, options),
  }
}

/** Returns the browser's origin. A proxy in front may have taken TLS off. */
function originFor(
  { protocol, headers }: Pick<Incoming, 'protocol' | 'headers'>,
  { publicOrigins = [] }: ServedOptions,
): string {
  const host = headers.host?.toLowerCase() ?? 'localhost'
  const named = publicOrigins.find((origin) => origin.slice(origin.indexOf('//') + 2) === host)
  return named ?? `${protocol}://${host}`
}

// ---- Sessions in the API -------------------------------------------------------------------------------------------

/** Cookies that go along with replies that have not been sent yet. */
const waiting = new WeakMap<object, string[]>()

export function browserOf(request: Incoming, options: ServedOptions): Browser {
  const { headers, ip, raw } = request
  return {
    origin: originFor(request, options),
    network: clientNetwork(ip),
    agent: headers['user-agent'] ?? '',
    cookies: headers.cookie,
    setCookie: (cookie) => void waiting.set(raw, [...(waiting.get(raw) ?? []), cookie]),
  }
}

export function sendCookies({ raw }: FastifyRequest, reply: FastifyReply): void {
  const cookies = waiting.get(raw)
  if (cookies) reply.header('set-cookie', cookies)
}
