/**
 * The HTTP edge: all requests take the same path. A request first gets its correlation id and its principal, and its
 * rate limit is charged; then come routing, parsing and the handler. All failures use one error envelope, including
 * refusals of the framework (spec: Authentication, Errors, Limits).
 */
import type { RequestListener } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Principal, principalIn, refusalOf } from '../access/principal.ts'
import type { Note } from '../audit/note.ts'
import { currentSince } from '../contract/as-of.ts'
import { publicBase } from '../contract/bases.ts'
import type { Endpoint } from '../contract/contract.ts'
import { bodyCheck, maxBodyBytes } from '../contract/input.ts'
import { LaterReply } from '../contract/later.ts'
import { titleOf } from '../contract/path-params.ts'
import { firstUnfit, methodsAt, pathOf } from '../contract/urls.ts'
import { unavailable } from '../data/db.ts'
import { ApiError, notFound } from '../errors.ts'
import { onBehalfOf } from '../process/behalf.ts'
import { reading } from '../process/turns.ts'
import type { ProjectId } from '../scope.ts'
import { type About, type Admission, admit, admitSession, uncharged, visitor } from './admission/admission.ts'
import { checkCalendar, nothingAt } from './admission/calendar.ts'
import { backgroundHeader, type ConsoleCall, consoleCallOf, routing } from './admission/console-api.ts'
import { findNamed } from './admission/named-projects.ts'
import { type Handled, narrowingOf, Readers } from './admission/narrowing.ts'
import { type Asked, askedAt, noteOf } from './admission/notes.ts'
import { readBody } from './api/body.ts'
import { readInput, readParams, toCall } from './api/calls.ts'
import { answer, linksFrom, type Replying } from './api/replies.ts'
import { passageOf } from './interception.ts'
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
import type { Running } from './server/running.ts'
import { serverFor } from './server/server.ts'
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
  interface FastifyContextConfig {
    endpoint?: Endpoint
    asked?: Asked | undefined
    /** The path of a stream of events. */
    stream?: string
    /** True when pages ask for it without anybody doing something. */
    isBackground?: boolean
  }
}

/** An endpoint below its base, with its handler. */
type Mounted = Replying & Handled

/** The endpoints and pages mounted so far. */
interface Routes {
  readonly mounted: Mounted[]
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
  const parts: Parts = {
    options,
    clouds,
    streams,
    routes: { mounted: [], readers: new Readers(), pages: new Map(), served: new Map() },
  }
  const state = { isClosing: false }
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
    const all = lazy.before(requests)
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
}

/** Lets an instance treat requests as all are treated. */
function prepare(server: FastifyInstance, { options, routes }: Parts, state: { readonly isClosing: boolean }) {
  server.decorateRequest('principal', undefined)
  server.decorateRequest('endpoint', undefined)
  server.decorateRequest('note', undefined)
  server.decorateRequest('isIntercepted', false)
  admitAll(server, options, routes)
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

function mountingOn(server: FastifyInstance, { options, clouds, routes, streams }: Parts): Mounting {
  return {
    mount(endpoints, handlers, base = publicBase) {
      for (const [key, endpoint] of Object.entries(endpoints)) {
        const own = handlers[key] as unknown as Mounted['handler']
        const handler: Mounted['handler'] = (call) => clouds.answer(endpoint, own)(call)
        const mounted = { endpoint, base, handler, currentFrom: endpoint.reply ? currentSince(endpoint.reply) : 0 }
        routes.mounted.push(mounted)
        routes.readers.add(mounted)
        mountEndpoint(server, { options, clouds, routes }, mounted)
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
      done(refusal ?? misdirected(request, reply, routes, options) ?? unauthorized(request, now))
    }
    // Nothing has been started yet, so the caller may be told to retry.
    const fail = (cause: unknown) => {
      settle({ ...uncharged(request, options), refusal: unavailable(cause) })
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
    if (admission instanceof Promise) admission.then(settle, fail)
    else settle(admission)
  })
}

/** Returns the subject of a request of the console. Pages say when nobody has done anything for a while. */
function aboutOf(request: FastifyRequest, { projectId = projectNamed(request) }: ConsoleCall): About {
  const { isBackground } = request.routeOptions.config
  return { projectId, isUse: !isBackground && request.headers[backgroundHeader] === undefined }
}

function projectNamed({ params }: FastifyRequest): ProjectId | undefined {
  const { project_id: named } = params as { readonly project_id?: string }
  return named === undefined ? undefined : (Number(named) as ProjectId)
}

/** Places the caller in the Project that the path names, if it names one; the refusal if it may not call the endpoint. */
function unauthorized(request: FastifyRequest, nowMs: number): ApiError | undefined {
  const { endpoint } = request.routeOptions.config
  if (!endpoint || !request.principal) return undefined
  const named = projectNamed(request)
  if (named !== undefined) request.principal = principalIn(request.principal, named)
  return refusalOf(request.principal, endpoint, nowMs)
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

function allowedAt(path: string, { mounted, pages, served }: Routes): string[] {
  if (served.has(path)) return served.get(path)!
  if (pages.has(path)) return ['GET', 'HEAD']
  return methodsAt(
    path,
    mounted.map(({ endpoint: { method, path }, base }) => ({ method, path: base + path })),
  )
}

function readBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (request: FastifyRequest, bytes: Buffer) =>
    onBehalfOf(request.principal?.scope?.projectId, () =>
      readBody(request.headers, bytes, request.routeOptions.config.endpoint),
    ),
  )
}

function mountEndpoint(server: FastifyInstance, parts: Omit<Parts, 'streams'>, mounted: Mounted): void {
  const { options, clouds, routes } = parts
  const { endpoint, base, handler } = mounted
  const checkBody = endpoint.body ? bodyCheck(endpoint.body, options.vendor) : undefined
  const hasParams = endpoint.path.includes('{')
  const namesProject = endpoint.path.includes('{project_id}')
  const narrowing = narrowingOf(mounted, routes.readers, options.query)
  const asked = askedAt(endpoint, base)
  server.route({
    method: endpoint.method,
    url: base + endpoint.path.replace(/\{(\w+)\}/g, ':$1'),
    bodyLimit: endpoint.maxBodyBytes ?? maxBodyBytes,
    config: { endpoint, asked },
    handler: (request, reply) => {
      request.note = noteOf(request, asked)
      const project = request.principal!.scope?.projectId
      // What changes clouds would wait for itself.
      const running = options.isChange?.(request.raw) ? undefined : clouds.running
      if (endpoint.method === 'GET') return reading(project, () => respond(request, reply, running))
      return onBehalfOf(project, () => respond(request, reply, running), request.note)
    },
  })

  async function respond(request: FastifyRequest, reply: FastifyReply, running?: Running): Promise<FastifyReply> {
    running?.begin()
    try {
      return await carryOut(request, reply)
    } finally {
      running?.end()
    }
  }

  async function carryOut(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    request.endpoint = endpoint
    const now = options.clock.now()
    checkCalendar(endpoint, request.url, now, (path) => linksFrom(request, options) + path)
    const params = hasParams ? readParams(request.params as Record<string, string>) : {}
    if (namesProject) await findNamed(request.principal!, options.query)
    const sees = request.principal!.limits?.within && narrowing
    await sees?.enter(toCall(request, params, options))
    let input: { query: Record<string, unknown>; body: unknown }
    try {
      input = readInput(request, endpoint, checkBody, now)
    } catch (refusal) {
      // 404 comes before 422: the resource in the path is looked for before the input is refused.
      if (hasParams) await routes.readers.read(mounted, toCall(request, params, options))
      throw refusal
    }
    const call = toCall(request, params, options, input)
    const handle = async () => {
      const made = await handler(sees ? await sees.fit(call) : call)
      if (request.note) options.audit?.succeeded(request.note)
      return made
    }
    const { interceptor } = options
    const made = await (interceptor ? interceptor(passageOf(request, reply, call), handle) : handle())
    if (!(made instanceof LaterReply)) return answer(request, reply, mounted, made, options)
    const read = async () => answer(request, reply, mounted, await made.read(), options)
    return reading(request.principal!.scope?.projectId, read)
  }
}
