/**
 * The direct way of requests that read: from Node's server to the handler without the framework, which costs as much as
 * all that they need. It has the steps of every request and shares them, and takes only those whose URL plainly is that of
 * a list or of a resource by its id; all others, and all refusals of a URL, go the usual way.
 */
import type { IncomingMessage, RequestListener } from 'node:http'
import { hasValidHost, isDecodable, pathOf } from '../contract/urls.ts'
import { parseId } from '../ids.ts'
import { after } from '../process/at-once.ts'
import { type Admission, admit, decided } from './admission/admission.ts'
import { placed } from './admission/named-projects.ts'
import type { CarryOut, Mounted } from './endpoints.ts'
import type { EdgeOptions } from './mounting.ts'
import { refuse } from './refusals.ts'
import type { Trust } from './server/caller.ts'
import { standardHeaders } from './server/edge.ts'
import { PlainReply, PlainRequest } from './server/plain.ts'
import { requestLogger } from './server/request-log.ts'

/** An endpoint that reads, as requests find it. */
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
const endsWithId = '/{id}'

export class DirectReads {
  readonly #options: EdgeOptions & { readonly trust: Trust }
  readonly #state: { readonly isClosing: boolean }
  readonly #byPath = new Map<string, Route>()
  /** Those that end with an id, by what comes before it. */
  readonly #byStart = new Map<string, Route>()
  readonly #log: ReturnType<typeof requestLogger>

  constructor(options: EdgeOptions & { readonly trust: Trust }, state: { readonly isClosing: boolean }) {
    this.#options = options
    this.#state = state
    this.#log = requestLogger(options.log)
  }

  /** Takes in an endpoint, which may be one of those. */
  add({ endpoint, base }: Mounted, carryOut: CarryOut): void {
    const path = base + endpoint.path
    const route = { endpoint, carryOut, routeOptions: { bodyLimit: 0, config: { endpoint } } }
    if (endpoint.method !== 'GET') return
    if (!path.includes('{')) this.#byPath.set(path, route)
    else if (path.indexOf('{') === path.length - endsWithId.length + 1 && path.endsWith(endsWithId))
      this.#byStart.set(path.slice(0, -endsWithId.length + 1), route)
  }

  /** Takes the requests that can go this way; `others` gets the rest. */
  before(others: RequestListener): RequestListener {
    return (request, response) => {
      const found = this.#isPlain(request) ? this.#find(request.url!) : undefined
      if (!found) return others(request, response)
      const { route, params } = found
      const incoming = new PlainRequest(request, params, route.routeOptions, this.#options.trust)
      this.#answer(incoming, new PlainReply(response, this.#state, (reply) => this.#log(incoming, reply)), route)
    }
  }

  /** A request without a body, to a server that has nothing else in mind for it. */
  #isPlain(request: IncomingMessage): boolean {
    const { method, headers } = request
    if (method !== 'GET' || this.#state.isClosing) return false
    return (
      headers['content-length'] === undefined && headers['transfer-encoding'] === undefined && hasValidHost(request)
    )
  }

  #find(url: string): Match | undefined {
    const path = pathOf(url)
    if (path !== url && !isDecodable(url)) return undefined
    const last = path.lastIndexOf('/') + 1
    const id = path.slice(last)
    if (parseId(id) === undefined) {
      const route = this.#byPath.get(path)
      return route && { route, params: noParams }
    }
    const route = this.#byStart.get(path.slice(0, last))
    return route && { route, params: { id } }
  }

  #answer(request: PlainRequest, reply: PlainReply, { endpoint, carryOut }: Route): void {
    const options = this.#options
    const fail = (error: unknown) => this.#refuse(error, request, reply)
    const enter = ({ principal, verdict, refusal }: Admission) => {
      const now = options.clock.now()
      reply.headers(standardHeaders(request.id, verdict, now))
      request.principal = principal
      const refused = refusal ?? placed(request, endpoint, now)
      if (refused) return fail(refused)
      try {
        const sent = carryOut(request, reply)
        if (sent instanceof Promise) sent.catch(fail)
      } catch (error) {
        fail(error)
      }
    }
    void after(decided(admit(request, options), request, options), enter)
  }

  #refuse(error: unknown, request: PlainRequest, reply: PlainReply): void {
    refuse(error, request, reply, this.#options).catch((cause: unknown) => {
      this.#options.log.error({ id: request.id, err: cause }, 'failed')
      reply.raw.destroy()
    })
  }
}
