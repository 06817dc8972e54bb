/** Instances of the framework, which is told to leave alone what the edge does itself. */
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import fastify, { type FastifyInstance } from 'fastify'
import { maxBodyBytes } from '../../contract/input.ts'
import { isDecodable } from '../../contract/urls.ts'
import type { Routing } from '../admission/console-api.ts'
import { sendCookies } from '../pages/served.ts'
import type { Trust } from './caller.ts'
import { correlationId, isLast } from './edge.ts'

/** Replaces a URL that cannot be decoded, so that it is refused like any other unknown path. */
export const undecodable = '/%00undecodable'

/**
 * `serverFor` makes the server that an instance would listen with. Proxies that are trusted say for whom they ask, and
 * whether by TLS.
 */
export function createInstance(
  serverFor: (requests: RequestListener) => Server,
  trust: Trust,
  { rewritten }: Routing,
): FastifyInstance {
  return fastify({
    serverFactory: serverFor,
    trustProxy: trust,
    logger: false,
    schemaController: { compilersFactory: { buildValidator: withoutSchemas, buildSerializer: withoutSchemas } },
    genReqId: correlationId,
    requestIdHeader: false,
    bodyLimit: maxBodyBytes,
    // Each route is loaded like a plugin; none waits for anything, so that none needs a timer.
    pluginTimeout: 0,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // The server below the edge has its own handler.
    clientErrorHandler: () => undefined,
    // Longer than all headers together may be, so that no parameter is refused for its length alone.
    routerOptions: { maxParamLength: 65_536 },
    rewriteUrl: (request: IncomingMessage) => {
      const { url = '/' } = request
      return isDecodable(url) ? rewritten(request, url) : undecodable
    },
  } as Parameters<typeof fastify>[0]) as unknown as FastifyInstance
}

/** The contract validates and serializes; the libraries that the framework would load for it stay out. */
const withoutSchemas = (): never => {
  throw new Error('routes have no schemas of the framework')
}

/** Makes the last responses on connections close them. */
export function closeGently(server: FastifyInstance, state: { readonly isClosing: boolean }): void {
  server.addHook('onSend', (request, reply, _payload, done) => {
    sendCookies(request, reply)
    if (isLast(state, reply.statusCode)) reply.header('connection', 'close')
    done()
  })
}
