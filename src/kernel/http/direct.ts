/**
 * The direct way: from Node's server to the handler without the framework, which costs as much as all that most requests
 * need. It has the steps of every request and shares them, and takes only those whose URL plainly is that of a list, or of
 * a resource by its id or something of it, with no body or a small one of JSON; all others, and all refusals of a URL, go
 * the usual way.
 */
import type { IncomingMessage, RequestListener } from 'node:http'
import { maxBodyBytes } from '../contract/input.ts'
import { hasValidHost, isDecodable, pathOf } from '../contract/urls.ts'
import { parseId } from '../ids.ts'
import { after } from '../process/at-once.ts'
import { onBehalfOf } from '../process/behalf.ts'
import { type Admission, admit, decided } from './admission/admission.ts'
import { placed } from './admission/named-projects.ts'
import { askedAt, operationAt } from './admission/notes.ts'
import { bytesOf, readBody } from './api/body.ts'
import type { CarryOut, Mounted } from './endpoints.ts'
import type { EdgeOptions } from './mounting.ts'
import { refuse } from './refusals.ts'
import type { Trust } from './server/caller.ts'
import { standardHeaders } from './server/edge.ts'
import { PlainReply, PlainRequest } from './server/plain.ts'
import { requestLogger } from './server/request-log.ts'

/** An endpoint as requests find it. */
interface Route {
  readonly endpoint: Mounted['endpoint']
  readonly carryOut: CarryOut
  readonly routeOptions: PlainRequest['routeOptions']
}

interface Match {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

const noParams = {}
const idInPath = '{id}'
/** An id in the middle of a path, or what looks like one. */
const partOfDigits = /\/(\d+)(?=\/)/

/** The endpoints of one method: by path, and those with an id in it by the rest of their path. */
interface Routes {
  readonly plain: Map<string, Route>
  readonly withId: Map<string, Route>
}

export class DirectRequests {
  readonly #options: EdgeOptions & { readonly trust: Trust }
  readonly #state: { readonly isClosing: boolean }
  readonly #routes = new Map<string, Routes>()
  readonly #log: ReturnType<typeof requestLogger>

  constructor(options: EdgeOptions & { readonly trust: Trust }, state: { readonly isClosing: boolean }) {
    this.#options = options
    this.#state = state
    this.#log = requestLogger(options.log)
  }

  /** Takes in an endpoint below one of its roots, which may be one of those. */
  add({ endpoint, base }: Mounted, carryOut: CarryOut, root: string): void {
    const path = root + endpoint.path
    const rest = path.replace(idInPath, '')
    if (rest.includes('{') || endpoint.takesBytes || endpoint.sendsBytes) return
    const config = { endpoint, asked: askedAt(endpoint, base), operation: operationAt(endpoint, base) }
    const route = {
      endpoint,
      carryOut,
      routeOptions: { url: path, bodyLimit: endpoint.maxBodyBytes ?? maxBodyBytes, config },
    }
    const routes = this.#routes.get(endpoint.method) ?? { plain: new Map(), withId: new Map() }
    this.#routes.set(endpoint.method, routes)
    if (rest === path) routes.plain.set(path, route)
    else routes.withId.set(rest, route)
  }

  /** Takes the requests that can go this way; `others` gets the rest. */
  before(others: RequestListener): RequestListener {
    return (request, response) => {
      const found = this.#isPlain(request) ? this.#find(request.method!, request.url!) : undefined
      if (!found) return others(request, response)
      const { route, params } = found
      const incoming = new PlainRequest(request, params, route.routeOptions, this.#options.trust)
      this.#answer(incoming, new PlainReply(response, this.#state, (reply) => this.#log(incoming, reply)), route)
    }
  }

  /** A request without a body or with a small one of JSON, to a server that has nothing else in mind for it. */
  #isPlain(request: IncomingMessage): boolean {
    const { method, headers } = request
    if (this.#state.isClosing || headers['transfer-encoding'] !== undefined || !hasValidHost(request)) return false
    const length = headers['content-length']
    if (method === 'GET') return length === undefined
    if (!hasBody(request)) return headers['content-type'] === undefined
    const isJson = headers['content-type'] === 'application/json' && headers['content-encoding'] === undefined
    return isJson && Number(length) <= maxBodyBytes
  }

  #find(method: string, url: string): Match | undefined {
    const path = pathOf(url)
    const routes = this.#routes.get(method)
    if (!routes || (path !== url && !isDecodable(url))) return undefined
    const last = path.lastIndexOf('/') + 1
    if (parseId(path.slice(last)) !== undefined) return around(last, path.length)
    const found = partOfDigits.exec(path)
    if (found && parseId(found[1]!) !== undefined) return around(found.index + 1, found.index + found[0].length)
    const route = routes.plain.get(path)
    return route && { route, params: noParams }

    function around(from: number, to: number): Match | undefined {
      const route = routes!.withId.get(to === path.length ? path.slice(0, from) : path.slice(0, from) + path.slice(to))
      return route && { route, params: { id: path.slice(from, to) } }
    }
  }

  #answer(request: PlainRequest, reply: PlainReply, { endpoint, carryOut }: Route): void {
    const options = this.#options
    const fail = (error: unknown) => this.#refuse(error, request, reply)
    const goOn = () => {
      try {
        const sent = carryOut(request, reply)
        if (sent instanceof Promise) sent.catch(fail)
      } catch (error) {
        fail(error)
      }
    }
    const enter = ({ principal, verdict, refusal }: Admission) => {
      const now = options.clock.now()
      reply.headers(standardHeaders(request.id, verdict, now))
      request.principal = principal
      const refused = refusal ?? placed(request, endpoint, now)
      if (refused) return fail(refused)
      if (hasBody(request.raw)) return void this.#readBody(request, reply, endpoint).then(goOn, fail)
      goOn()
    }
    void after(decided(admit(request, options), request, options), enter)
  }

  async #readBody(request: PlainRequest, reply: PlainReply, endpoint: Route['endpoint']): Promise<void> {
    try {
      const bytes = await bytesOf(request.raw)
      const read = () => readBody(request.headers, bytes, endpoint)
      request.body = await onBehalfOf(request.principal?.scope?.projectId, read)
    } catch (error) {
      // Whoever sends what cannot be read may send more of it.
      reply.header('connection', 'close')
      throw error
    }
  }

  #refuse(error: unknown, request: PlainRequest, reply: PlainReply): void {
    refuse(error, request, reply, this.#options).catch((cause: unknown) => {
      this.#options.log.error({ id: request.id, err: cause }, 'failed')
      reply.raw.destroy()
    })
  }
}

function hasBody({ method, headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return method !== 'GET' && length !== undefined && length !== '0'
}
