/**
 * The entry points of the API. Programs call the endpoints with a token; the console calls the same ones below its own
 * base with the cookie of a session and nothing else. A request at the console's entry point is rewritten before it is
 * routed, so that both lead to the same routes.
 */
import type { IncomingMessage } from 'node:http'
import { wolkeBase } from '../../contract/bases.ts'
import { isDecodable, isOwnHost, pathOf } from '../../contract/urls.ts'
import { ApiError } from '../../errors.ts'
import { parseId } from '../../ids.ts'
import type { ProjectId } from '../../scope.ts'

/** The base of what needs the cookie of a session. */
export const consoleBase = '/console'
const apiBase = `${consoleBase}/api`

/** A page sends it along when nobody has done anything for a while, so that what it asks by itself keeps no session alive. */
export const backgroundHeader = 'wolke-background'

/** A request at the console's entry point. */
export interface ConsoleCall {
  /** The Project that the path names. */
  readonly projectId: ProjectId | undefined
}

/** The first segments of everything that only Wolke has, besides open pages. */
const ownBases = [consoleBase, wolkeBase].map((base) => base.split('/')[1])

const consoleCalls = new WeakMap<IncomingMessage, ConsoleCall>()

const prefix = new RegExp(`^${apiBase}(?:/projects/(\\d{1,19}))?(?=/)`)
const events = /^\/events(?:\?|$)/

/** The routing of requests. */
export interface Routing {
  /** The URL by which a request is routed. `/console/api/projects/1/v1/servers` leads to `/v1/servers`. */
  rewritten(request: IncomingMessage, url: string): string
  /** Tells whether a request is for what only Wolke has, and not for the public API at either entry point. */
  isForWolke(url: string): boolean
}

/** Some clients end the paths of lists with a slash, which leads to the same (contract: Requests). */
function withoutLastSlash(url: string): string {
  const path = pathOf(url)
  return path.endsWith('/') ? path.slice(0, -1) + url.slice(path.length) : url
}

/** The ways to the API whose families are below some bases, and to what only Wolke has. */
export function routing(bases: readonly string[]): Routing {
  const isBelow = (url: string, base: string) => url.startsWith(base) && url[base.length] === '/'
  const isPublic = (url: string) => bases.some((base) => isBelow(url, base))
  return {
    rewritten(request, given) {
      const url = isPublic(given) ? withoutLastSlash(given) : given
      const [before, project] = url.startsWith(apiBase) ? (prefix.exec(url) ?? []) : []
      if (before === undefined) return url
      const rest = url.slice(before.length)
      const isOpen = isBelow(rest, wolkeBase) || (project !== undefined && (isPublic(rest) || events.test(rest)))
      if (!isOpen) return url
      consoleCalls.set(request, {
        projectId: project === undefined ? undefined : ((parseId(project) ?? 0) as ProjectId),
      })
      return withoutLastSlash(rest)
    },
    isForWolke(url) {
      if (isPublic(url)) return false
      const [before, project] = prefix.exec(url) ?? []
      if (project !== undefined && isPublic(url.slice(before!.length))) return false
      const [, first = ''] = /^\/([^/?#]*)/.exec(url) ?? []
      const name = isDecodable(first) ? decodeURIComponent(first) : first
      return ownBases.some((base) => base === name)
    },
  }
}

/** Returns the call of the console that a request is; undefined for requests of programs. */
export function consoleCallOf(request: IncomingMessage): ConsoleCall | undefined {
  return consoleCalls.get(request)
}

/** The parts of a request that tell where it comes from. */
interface Sent {
  readonly method: string
  readonly headers: IncomingMessage['headers']
}

/**
 * The refusal of a change that a page of another origin may have sent along with a cookie; undefined otherwise. Browsers
 * say in `Sec-Fetch-Site` or at least in `Origin` where a request comes from. Another port of the same host is another
 * site's page too, although it gets the cookie. Refusals: `forbidden`.
 */
export function foreignRefusal({ method, headers }: Sent): ApiError | undefined {
  if (method === 'GET' || method === 'HEAD') return undefined
  const site = headers['sec-fetch-site']
  const isOurs =
    site === undefined ? originHost(headers.origin) === headers.host?.toLowerCase() : site === 'same-origin'
  return isOurs ? undefined : new ApiError('forbidden', 'this request does not come from a page of this server')
}

function originHost(origin: string | undefined): string | undefined {
  return origin === undefined ? '' : /^https?:\/\/([^/]+)$/.exec(origin.toLowerCase())?.[1]
}

/**
 * The refusal of a Host that is not this server's, which a foreign name that was made to lead here sends (DNS
 * rebinding); undefined otherwise. Refusals: `invalid_input` with status 421.
 */
export function strangeHostRefusal(
  { headers: { host = '' } }: Pick<Sent, 'headers'>,
  publicOrigins: readonly string[] = [],
): ApiError | undefined {
  const named = host.toLowerCase()
  if (isOwnHost(named) || publicOrigins.some((origin) => origin.slice(origin.indexOf('//') + 2) === named))
    return undefined
  return new ApiError('invalid_input', `the console is not at the host '${host.slice(0, 80)}'; --public-url names it`, {
    status: 421,
  })
}
