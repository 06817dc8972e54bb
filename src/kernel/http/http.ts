/**
 * The HTTP edge: all requests take the same path. A request first gets its correlation id and its principal, and its
 * rate limit is charged; then come routing, parsing and the handler. All failures use one error envelope, including
 * refusals of the framework (spec: Authentication, Errors, Limits).
 */
import type { RequestListener } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../access/principal.ts'
import type { Note } from '../audit/note.ts'
import { currentSince } from '../contract/as-of.ts'
import { publicBase } from '../contract/bases.ts'
import type { Endpoint } from '../contract/contract.ts'
import { maxBodyBytes } from '../contract/input.ts'
import { titleOf } from '../contract/path-params.ts'
import { firstUnfit, methodsAt, pathOf } from '../contract/urls.ts'
import { ApiError, notFound } from '../errors.ts'
import { after } from '../process/at-once.ts'
import { onBehalfOf } from '../process/behalf.ts'
import { tracer } from '../process/tracing.ts'
import { type About, type Admission, admit, admitSession, decided, uncharged, visitor } from './admission/admission.ts'
import { nothingAt } from './admission/calendar.ts'
import { backgroundHeader, type ConsoleCall, consoleCallOf, routing } from './admission/console-api.ts'
import { placed, projectNamed } from './admission/named-projects.ts'
import { Readers } from './admission/narrowing.ts'
import { askedAt, operationAt } from './admission/notes.ts'
import { readBody } from './api/body.ts'
import type { RouteConfig } from './api/exchange.ts'
import { DirectRequests } from './direct.ts'
import { type CarryOut, carryingOut, type Mounted } from './endpoints.ts'
import type { EdgeOptions, Mounting } from './mounting.ts'
import { type OpenPage, servePage } from './pages/open-pages.ts'
import { isInTree, mountTree } from './pages/page-trees.ts'
import { addServed, admitServed, type Served, type ServedCall } from './pages/served.ts'
import { answerRefusals } from './refusals.ts'
import {
  type CloudMounting,
  type CloudParts,
  type EdgeSeat,
  edgeSeat,
  type FurtherSeat,
  furtherSeat,
  partKeys,
} from './seats.ts'
import { trustIn } from './server/caller.ts'
import { Clouds, patienceMs } from './server/clouds.ts'
import { hostRefusal, standardHeaders } from './server/edge.ts'
import { closeGently, createInstance, undecodable } from './server/instance.ts'
import { LazyPart } from './server/lazy-part.ts'
import { createServer } from './server/node-http.ts'
import { requestLogger } from './server/request-log.ts'
import { serverFor } from './server/server.ts'
import { tracedRequests } from './server/traced.ts'
import { Streams } from './streams/streams.ts'
import { type SocketPath, WebSockets } from './streams/web-sockets.ts'

export interface Edge extends Mounting {
  readonly server: FastifyInstance
  /** Lets WebSockets be opened at a path. */
  accept(path: SocketPath): void
  /** Defers mounting below Wolke's own bases, except for the public API, to the first request for them. */
  later(load: (part: Mounting) => Promise<void>): void
  /** Answers the requests of a connection that was made in another way than by listening. */
  connect(connection: Duplex): void
  /** From now on each answer is the last one on its connection, so that callers reconnect elsewhere. */
  drain(): void
  /** The instance with what is mounted later. */
  lazyPart(): Promise<FastifyInstance>
  /** The edge of the cloud that it was built with; with `isSeated` another one can take its seat. */
  readonly seat: EdgeSeat
  /** Opens a further seat, for a cloud that mounts everything that is mounted here. */
  furtherSeat(open: (mounting: CloudMounting) => Promise<CloudParts>): Promise<FurtherSeat>
}

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | undefined
    endpoint: Endpoint | undefined
    note: Note | undefined
    isIntercepted: boolean
  }
  interface FastifyContextConfig extends RouteConfig {}
}

/** The endpoints and pages mounted so far. */
interface Routes {
  /** The endpoints below all their roots. */
  readonly reached: Pick<Endpoint, 'method' | 'path'>[]
  readonly readers: Readers
  readonly pages: Map<string, OpenPage>
  readonly served: Served
}

/** Creates the server; it serves what is mounted on it once it listens. */
export function buildEdge(given: EdgeOptions): Edge {
  const clouds = new Clouds<CloudParts>()
  const trust = trustIn(given.trustedProxies)
  const options = clouds.options({ ...given, trust }, partKeys)
  const sockets = new WebSockets(options, clouds)
  const streams = new Streams(options)
  const state = { isClosing: false }
  const parts: Parts = {
    options,
    clouds,
    streams,
    routes: { reached: [], readers: new Readers(), pages: new Map(), served: new Map() },
    direct: new DirectRequests(options, state),
  }
  const paths = routing(options.bases ?? [publicBase])
  let load: ((part: Mounting) => Promise<void>) | undefined
  const lazy = new LazyPart({
    isFor: (url) => load !== undefined && paths.isForWolke(url),
    log: options.log,
    build: () =>
      clouds.forAll(async () => {
        const instance = createInstance(() => createServer(), trust, paths)
        const server = prepare(instance, parts, state)
        await load?.(mountingOn(server, parts))
        return server
      }),
  })
  const { isChange } = given
  const listening = (requests: RequestListener) => {
    const found = lazy.before(parts.direct.before(requests))
    const all = tracer ? tracedRequests(tracer, found) : found
    return serverFor({ requests: isChange ? clouds.gated(all) : all, sockets }, options)
  }
  const server = prepare(createInstance(listening, trust, paths), parts, state)
  server.addHook('preClose', (done) => {
    state.isClosing = true
    for (const one of [sockets, streams]) one.close()
    done()
  })
  server.addHook('onClose', async () => {
    await lazy.close()
    await clouds.first.running.ended(patienceMs)
  })
  return {
    server,
    ...mountingOn(server, parts),
    accept: (path) => sockets.listen(path),
    later(given) {
      load = given
    },
    connect: (connection) => clouds.forAll(() => void server.server.emit('connection', connection)),
    drain() {
      state.isClosing = true
    },
    lazyPart: () => lazy.open(),
    seat: edgeSeat(clouds, clouds.first, isChange),
    furtherSeat: (open) => furtherSeat(clouds, { open, isChange, makeServer: () => listening(server.routing) }),
  }
}

/** The objects that the instances of the framework share. */
interface Parts {
  readonly options: EdgeOptions
  readonly clouds: Clouds<CloudParts>
  readonly streams: Streams
  readonly routes: Routes
  readonly direct: DirectRequests
}

/** Lets an instance treat requests as all are treated. */
function prepare(server: FastifyInstance, { options, routes }: Parts, state: { readonly isClosing: boolean }) {
  server.decorateRequest('principal', undefined)
  server.decorateRequest('endpoint', undefined)
  server.decorateRequest('note', undefined)
  server.decorateRequest('isIntercepted', false)
  admitAll(server, options, routes)
  guardAll(server, options)
  readBodies(server)
  answerRefusals(server, options)
  server.setNotFoundHandler((request, reply) => {
    throw misdirected(request, reply, routes, options) as ApiError
  })
  closeGently(server, state)
  const logRequest = requestLogger(options.log)
  server.addHook('onResponse', (request, reply, done) => {
    logRequest(request, reply)
    done()
  })
  return server
}

function mountingOn(server: FastifyInstance, { options, clouds, routes, streams, direct }: Parts): Mounting {
  return {
    mount(endpoints, handlers, base = publicBase, others = []) {
      for (const [key, endpoint] of Object.entries(endpoints)) {
        const own = handlers[key] as unknown as Mounted['handler']
        const handler: Mounted['handler'] = (call) => clouds.answer(endpoint, own)(call)
        const mounted = { endpoint, base, handler, currentFrom: endpoint.reply ? currentSince(endpoint.reply) : 0 }
        routes.readers.add(mounted)
        const carryOut = carryingOut(mounted, { options, clouds, routes })
        for (const root of [base, ...others]) {
          routes.reached.push({ method: endpoint.method, path: root + endpoint.path })
          mountEndpoint(server, mounted, carryOut, root)
          direct.add(mounted, carryOut, root)
        }
      }
    },
    open(page) {
      routes.pages.set(page.path, page)
      const ask = servePage(page)
      server.get(page.path, async (request, reply) => {
        const { status, headers, body } = await clouds.answer(page.path, ask)(request.headers)
        return reply.code(status).headers(headers).send(body)
      })
    },
    openTree: (tree) => mountTree(server, tree, options.publicOrigins),
    serve(given) {
      const routesOfAll = given.map(({ method, path, answer }) => {
        return { method, path, answer: (call: ServedCall) => clouds.answer(`${method} ${path}`, answer)(call) }
      })
      addServed(server, routes.served, routesOfAll, options)
    },
    stream: (path) => streams.mount(server, { ...path, open: (given) => clouds.answer(path.path, path).open(given) }),
  }
}

// ---- Admission -----------------------------------------------------------------------------------------------------

/** Sets the headers and the principal of every request and charges its rate limit, before its body is read. */
function admitAll(server: FastifyInstance, options: EdgeOptions, routes: Routes): void {
  server.addHook('onRequest', (request, reply, done) => {
    const settle = ({ principal, verdict, refusal }: Admission) => {
      const now = options.clock.now()
      reply.headers(standardHeaders(request.id, verdict, now))
      request.principal = principal
      done(refusal ?? misdirected(request, reply, routes, options))
    }
    const misaddressed = hostRefusal(request.raw)
    if (misaddressed) return settle({ ...visitor(request, options), refusal: misaddressed })
    const path = pathOf(request.url)
    if (routes.served.has(path)) return settle(admitServed(request, options))
    if (isInTree(request)) {
      reply.headers(standardHeaders(request.id, uncharged(request, options).verdict, options.clock.now()))
      return done()
    }
    const page = routes.pages.get(path)
    if (page) return settle(page.isFree ? uncharged(request, options) : visitor(request, options))
    const call = consoleCallOf(request.raw)
    const admission = call ? admitSession(request, aboutOf(request, call), options) : admit(request, options)
    void after(decided(admission, request, options), settle)
  })
}

/**
 * Lets only those pass who may call what they ask for. A hook of each route knows its endpoint, while the framework makes
 * the options of a route anew for each request that is asked for them.
 */
function guardAll(server: FastifyInstance, { clock }: EdgeOptions): void {
  server.addHook('onRoute', (route) => {
    const { endpoint } = route.config ?? {}
    if (endpoint) route.onRequest = (request, _reply, done) => done(placed(request, endpoint, clock.now()))
  })
}

/** Returns the subject of a request of the console. Pages say when nobody has done anything for a while. */
function aboutOf(request: FastifyRequest, { projectId = projectNamed(request) }: ConsoleCall): About {
  const { isBackground } = request.routeOptions.config
  return { projectId, isUse: !isBackground && request.headers[backgroundHeader] === undefined }
}

// ---- Routing and parsing -------------------------------------------------------------------------------------------

/** The refusal of an admitted request without a route; undefined when there is one. Decided before the body is read. */
function misdirected(
  request: FastifyRequest,
  reply: FastifyReply,
  routes: Routes,
  options: EdgeOptions,
): ApiError | undefined {
  if (request.url === undecodable) {
    return new ApiError('invalid_input', 'the URL is not valid percent-encoding', { status: 400 })
  }
  const unfit = firstUnfit(request.params as Record<string, string>)
  if (!request.is404 && unfit === undefined) return undefined
  const allowed = allowedAt(pathOf(request.url), routes)
  if (allowed.length > 0) {
    reply.header('allow', allowed.join(', '))
    return new ApiError('method_not_allowed', `this path allows ${allowed.join(', ')}`)
  }
  if (request.is404) return nothingAt(pathOf(request.url), options.lacking)
  // An invalid id gets the same reply as an unknown one.
  return notFound(titleOf(unfit![0], request.routeOptions.config.endpoint?.title), unfit![1].slice(0, 80))
}

function allowedAt(path: string, { reached, pages, served }: Routes): string[] {
  if (served.has(path)) return served.get(path)!
  if (pages.has(path)) return ['GET', 'HEAD']
  return methodsAt(path, reached)
}

function readBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (request: FastifyRequest, bytes: Buffer) =>
    onBehalfOf(request.principal?.scope?.projectId, () =>
      readBody(request.headers, bytes, request.routeOptions.config.endpoint),
    ),
  )
}

/** Mounts an endpoint below one of its roots. */
function mountEndpoint(given: FastifyInstance, mounted: Mounted, carryOut: CarryOut, root: string): void {
  if (!mounted.endpoint.takesBytes) {
    mountOn(given, mounted, carryOut, root)
    return
  }
  void given.register(async (own) => {
    own.removeAllContentTypeParsers()
    // Its handler reads them, when the request is found to be a good one.
    own.addContentTypeParser('*', (_request, bytes, done) => done(null, bytes))
    mountOn(own, mounted, carryOut, root)
  })
}

function mountOn(server: FastifyInstance, mounted: Mounted, carryOut: CarryOut, root: string): void {
  const { endpoint, base } = mounted
  server.route({
    method: endpoint.method,
    url: root + endpoint.path.replace(/\{(\w+)\}/g, ':$1'),
    bodyLimit: endpoint.maxBodyBytes ?? maxBodyBytes,
    config: { endpoint, asked: askedAt(endpoint, base), operation: operationAt(endpoint, base) },
    handler(request, reply) {
      const sent = carryOut(request, reply)
      // The framework waits for what it is given, also for an answer that is sent already.
      return sent instanceof Promise ? sent : undefined
    },
  })
}
