/** Makes of a request what a handler gets. */
import { type ApiCall, type Endpoint, type QueryParams, widePaging } from '../../contract/contract.ts'
import { type BodyCheck, parseQuery } from '../../contract/input.ts'
import { isIdParam } from '../../contract/path-params.ts'
import { reachedAt, searchOf } from '../../contract/urls.ts'
import { consoleCallOf } from '../admission/console-api.ts'
import type { Limiter } from '../admission/rate-limit.ts'
import { browserOf } from '../pages/served.ts'
import { bytesIn } from './bytes.ts'
import type { Incoming } from './exchange.ts'
import { linksFrom } from './replies.ts'

interface CallOptions {
  readonly limits: { readonly networks: Limiter }
  readonly publicOrigins?: readonly string[]
}

/** The most entries on a page of a list for the console. It filters and sorts lists that it has read whole. */
const mostPerPage = 1_000
const { per_page } = widePaging(mostPerPage)
const widened = new WeakMap<QueryParams, QueryParams>()

function consoleParams({ query }: Endpoint): QueryParams | undefined {
  const { maximum = mostPerPage } = (query?.per_page?.schema ?? {}) as { readonly maximum?: number }
  if (!query || maximum >= mostPerPage) return query
  const known = widened.get(query) ?? { ...query, per_page }
  widened.set(query, known)
  return known
}

/** Errors: `invalid_input`. */
export function readInput(request: Incoming, endpoint: Endpoint, checkBody: BodyCheck | undefined, now: number) {
  const params = consoleCallOf(request.raw) ? consoleParams(endpoint) : endpoint.query
  const query = params ? parseQuery(params, searchOf(request.url), now) : {}
  const body = checkBody && (request.body === undefined ? {} : request.body)
  checkBody?.(body)
  return { query, body }
}

/** The call of a handler; without input that of one which only looks for the resource in the path. */
export function toCall(
  request: Incoming,
  params: Record<string, number | string>,
  options: CallOptions,
  input: { query: Record<string, unknown>; body: unknown } = { query: {}, body: undefined },
): ApiCall<Endpoint> {
  const caller = request.principal!
  return {
    caller,
    scope: caller.scope as never,
    isReadOnly: caller.role === 'viewer',
    params,
    query: input.query,
    body: input.body as never,
    origin: () => linksFrom(request, options) || reachedAt(request.protocol, request.raw),
    bytes: () => bytesIn(request),
    browser: () => browserOf(request, options),
  }
}

/** The path parameters; `misdirected` of the edge has already checked the ids. */
export function readParams(texts: Record<string, string>): Record<string, number | string> {
  const params: Record<string, number | string> = {}
  for (const name in texts) params[name] = isIdParam(name) ? Number(texts[name]) : texts[name]!
  return params
}
