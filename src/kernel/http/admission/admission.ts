/** Admission: finds the principal of a request and charges its rate limit (spec: Authentication, Limits). */
import type { IncomingHttpHeaders } from 'node:http'
import { type Principal, principalIn, type Sessions } from '../../access/principal.ts'
import type { Authenticator } from '../../access/tokens.ts'
import { wolkeBase } from '../../contract/bases.ts'
import { unavailable } from '../../data/db.ts'
import { ApiError } from '../../errors.ts'
import { type AtOnce, after } from '../../process/at-once.ts'
import { channels } from '../../process/channels.ts'
import { clientNetwork } from '../../process/network.ts'
import type { ProjectId } from '../../scope.ts'
import { foreignRefusal, strangeHostRefusal } from './console-api.ts'
import { type Limiter, narrower, unlimited, type Verdict } from './rate-limit.ts'

/** The parts of a request that admission reads. */
interface Caller {
  readonly ip: string
  readonly url: string
  readonly method: string
  readonly headers: IncomingHttpHeaders
}

interface Gate {
  readonly authenticator: Authenticator
  /** Finds the people behind sessions; without it nobody has one. */
  readonly sessions?: Sessions
  readonly limits: Limits
  /** Origins of the API, such as `https://cloud.example.com`. */
  readonly publicOrigins?: readonly string[]
}

/** Rate limits, each with a bucket for every Project, person, token or network that it counts. */
export interface Limits {
  /** Programs in a Project: all of its tokens, and all sessions made with them. */
  readonly projects: Limiter
  /** The people of a Project together. */
  readonly people: Limiter
  /** One person in a Project, however many sessions there are. */
  readonly shares: Limiter
  /** People who are in no Project, or in none of theirs, and management tokens. */
  readonly callers: Limiter
  /** Callers without valid credentials. */
  readonly networks: Limiter
}

export const noLimits: Limits = {
  projects: unlimited,
  people: unlimited,
  shares: unlimited,
  callers: unlimited,
  networks: unlimited,
}

/** The subject of a request of a session. */
export interface About {
  /** The Project that the path names. */
  readonly projectId: ProjectId | undefined
  /** True when somebody acts, false when a page asks by itself. */
  readonly isUse: boolean
}

/** The decision on a request, with its principal. */
export interface Admission {
  readonly principal?: Principal
  readonly verdict: Verdict
  readonly refusal?: ApiError
}

/** Admits a request without charging anybody. */
export function uncharged(request: Caller, { limits }: Gate): Admission {
  return { verdict: limits.networks.peek(clientNetwork(request.ip)) }
}

/** Admits a request that needs no token and charges its network. Refusals: `rate_limit_exceeded`. */
export function visitor(
  { ip }: Pick<Caller, 'ip'>,
  { limits }: { readonly limits: { readonly networks: Limiter } },
): Admission {
  const verdict = limits.networks.take(clientNetwork(ip)) as Verdict
  return verdict.admitted ? { verdict } : { verdict, refusal: tooMany(verdict, 'address') }
}

/**
 * Finds the principal of a request and charges its limit (spec: Authentication). Synchronous when the token is cached,
 * which is nearly always. Refusals: `unauthorized`, `token_readonly`, `rate_limit_exceeded`.
 */
export function admit(request: Caller, options: Gate): AtOnce<Admission> {
  const token = bearerToken(request.headers.authorization)
  if (!token) return admitNobody(request, options, 'no API token: send "Authorization: Bearer <token>"')
  const principal = options.authenticator.cached(token)
  return principal ? admitProgram(request, options, principal) : admitStranger(request, options, token)
}

/**
 * Finds whose session a request of the console belongs to, and charges their limit. Refusals: `invalid_input` with status
 * 421 for a foreign host, `forbidden` for a request of a foreign page, `unauthorized`, `rate_limit_exceeded`.
 */
export function admitSession(request: Caller, about: About, options: Gate): AtOnce<Admission> {
  const refusal = strangeHostRefusal(request, options.publicOrigins) ?? foreignRefusal(request)
  if (refusal) return { ...visitor(request, options), refusal }
  const found = options.sessions?.find(request.headers, about)
  return after(found, (identity) =>
    identity
      ? admitPrincipal(request, options, principalIn(identity, about.projectId))
      : admitNobody(request, options, 'sign in first'),
  )
}

function bearerToken(header: string | undefined): string | undefined {
  if (header?.slice(0, 7).toLowerCase() !== 'bearer ') return undefined
  return header.slice(7).trim() || undefined
}

/** The admission of a request; a failure to decide refuses it. Refusals: `unavailable`. */
export function decided(admission: AtOnce<Admission>, request: Caller, options: Gate): AtOnce<Admission> {
  // Nothing has been started yet, so the caller may be told to retry.
  const fail = (cause: unknown): Admission => ({ ...uncharged(request, options), refusal: unavailable(cause) })
  return admission instanceof Promise ? admission.catch(fail) : admission
}

const invalidTokenText = 'the token you provided is invalid'

/** 401 `unauthorized` for a token that no longer exists. */
function invalidToken(): ApiError {
  return new ApiError('unauthorized', invalidTokenText)
}

/** The refusal of a token that was there a moment ago, which counts no more from now on. */
export function goneToken({ headers }: Caller, authenticator: Authenticator): ApiError {
  const token = bearerToken(headers.authorization)
  if (token) authenticator.forget(token)
  return invalidToken()
}

async function admitStranger(request: Caller, options: Gate, token: string): Promise<Admission> {
  // A valid token is looked up even when its network has used up its limit: a Project's requests must not depend on
  // other callers in the network.
  const principal = await options.authenticator.find(token)
  return principal ? admitProgram(request, options, principal) : admitNobody(request, options, invalidTokenText)
}

/** Admits the owner of a token. A management token is unknown to the API of Projects. */
function admitProgram(request: Caller, options: Gate, principal: Principal): AtOnce<Admission> {
  const isUnknown = principal.actor.kind !== 'token' && !request.url.startsWith(`${wolkeBase}/`)
  return isUnknown ? admitNobody(request, options, invalidTokenText) : admitPrincipal(request, options, principal)
}

function admitNobody(request: Caller, { limits }: Gate, message: string): Admission {
  const verdict = limits.networks.take(clientNetwork(request.ip)) as Verdict
  return { verdict, refusal: verdict.admitted ? new ApiError('unauthorized', message) : tooMany(verdict, 'address') }
}

function admitPrincipal(request: Caller, { limits }: Gate, principal: Principal): AtOnce<Admission> {
  return after(charge(principal, limits), (verdict) => judge(request, principal, verdict))
}

/**
 * Charges whoever pays for a request. People have a share of their Project's limit: programs leave it alone, and no person
 * takes all of it. Whoever has no role in the Project that is named costs that Project nothing.
 */
function charge({ actor, bucket, role, scope }: Principal, limits: Limits): AtOnce<Verdict> {
  if (actor.kind === 'token') return limits.projects.take(bucket)
  if (actor.kind === 'management' || role === undefined) return limits.callers.take(bucket)
  const people = `people:${scope!.projectId}`
  return after(limits.shares.take(`${people}:${bucket}`), (own) =>
    own.admitted ? after(limits.people.take(people), (all) => narrower(own, all)) : own,
  )
}

function judge(request: Caller, principal: Principal, verdict: Verdict): Admission {
  if (isReadOnly(principal) && request.method !== 'GET' && request.method !== 'HEAD') {
    const refusal = new ApiError('token_readonly', 'this token is only allowed to perform GET requests')
    return { principal, verdict, refusal }
  }
  return verdict.admitted
    ? { principal, verdict }
    : { principal, verdict, refusal: tooMany(verdict, limitOf(principal)) }
}

/** Tells whether it is an API token that reads: a viewer of its Project, whatever a request is about. */
function isReadOnly({ actor, roles }: Principal): boolean {
  if (actor.kind !== 'token') return false
  for (const role of roles.values()) if (role !== 'viewer') return false
  return true
}

type Limit = Parameters<typeof channels.throttled.publish>[0]['limit']

/** The limit that `charge` takes from. */
function limitOf({ actor, role }: Principal): Limit {
  if (actor.kind === 'token') return 'project'
  return actor.kind === 'management' || role === undefined ? 'caller' : 'people'
}

function tooMany(verdict: Verdict, limit: Limit): ApiError {
  if (channels.throttled.hasSubscribers) channels.throttled.publish({ limit })
  return new ApiError('rate_limit_exceeded', `limit of ${verdict.limit} requests per hour reached`)
}
