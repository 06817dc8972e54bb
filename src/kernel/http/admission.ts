/** Admission: finds the principal of a request and charges its rate limit (spec: Authentication, Limits). */
import type { IncomingHttpHeaders } from 'node:http'
import { type Identity, type Principal, principalIn, type Sessions } from '../access/principal.ts'
import type { Authenticator } from '../access/tokens.ts'
import { ApiError } from '../errors.ts'
import { type Door, foreignRefusal, ownBase, strangeHostRefusal } from './doors.ts'
import { clientNetwork } from './edge.ts'
import type { Limiter, Verdict } from './rate-limit.ts'

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

/** Rate limits of Projects, of sessions and management tokens, and of networks of callers without valid credentials. */
export interface Limits {
  readonly projects: Limiter
  readonly sessions: Limiter
  readonly networks: Limiter
}

/** Whether a request is admitted, and on whose behalf. */
export interface Admission {
  readonly principal?: Principal
  readonly verdict: Verdict
  readonly refusal?: ApiError
}

/** Admits a request without charging anybody. */
export function bystander(request: Caller, { limits }: Gate): Admission {
  return { verdict: limits.networks.peek(clientNetwork(request.ip)) }
}

/** Admits a request that needs no token and charges its network. Refusals: `rate_limit_exceeded`. */
export function visitor(
  { ip }: Pick<Caller, 'ip'>,
  { limits }: { readonly limits: { readonly networks: Limiter } },
): Admission {
  const verdict = limits.networks.take(clientNetwork(ip)) as Verdict
  return verdict.admitted ? { verdict } : { verdict, refusal: tooMany(verdict) }
}

/**
 * Finds the principal of a request and charges its limit (spec: Authentication). Synchronous when the token is cached,
 * which is nearly always. Refusals: `unauthorized`, `token_readonly`, `rate_limit_exceeded`.
 */
export function admit(request: Caller, options: Gate): Admission | Promise<Admission> {
  const token = bearerToken(request.headers.authorization)
  if (!token) return admitNobody(request, options, 'no API token: send "Authorization: Bearer <token>"')
  const principal = options.authenticator.cached(token)
  return principal ? admitProgram(request, options, principal) : admitStranger(request, options, token)
}

/**
 * Finds the person whose session a request of the console belongs to, and charges the limit of the session. Refusals:
 * `invalid_input` with status 421 for a foreign host, `forbidden` for a request of a foreign page, `unauthorized`,
 * `rate_limit_exceeded`.
 */
export function admitSession(request: Caller, door: Door, options: Gate): Admission | Promise<Admission> {
  const refusal = strangeHostRefusal(request, options.publicOrigins) ?? foreignRefusal(request)
  if (refusal) return { ...visitor(request, options), refusal }
  const found = options.sessions?.find(request.headers)
  const enter = (identity: Identity | undefined) =>
    identity
      ? admitPrincipal(request, options.limits.sessions, principalIn(identity, door.projectId))
      : admitNobody(request, options, 'sign in first')
  return found instanceof Promise ? found.then(enter) : enter(found)
}

function bearerToken(header: string | undefined): string | undefined {
  if (header?.slice(0, 7).toLowerCase() !== 'bearer ') return undefined
  return header.slice(7).trim() || undefined
}

const invalidTokenText = 'the token you provided is invalid'

/** 401 `unauthorized` for a token that no longer exists. */
export function invalidToken(): ApiError {
  return new ApiError('unauthorized', invalidTokenText)
}

/**
 * Whether the token of an admitted request still exists, bypassing the cache; true when the database cannot be asked.
 */
export async function isStillKnown(request: Caller, authenticator: Authenticator): Promise<boolean> {
  const token = bearerToken(request.headers.authorization)
  if (!token) return false
  return authenticator.find(token).then(
    (principal) => principal !== undefined,
    () => true,
  )
}

async function admitStranger(request: Caller, options: Gate, token: string): Promise<Admission> {
  // A valid token is looked up even when its network has used up its limit: a Project's requests must not depend on
  // other callers in the network.
  const principal = await options.authenticator.find(token)
  return principal ? admitProgram(request, options, principal) : admitNobody(request, options, invalidTokenText)
}

/** Admits the owner of a token. A management token is unknown to the API of Projects. */
function admitProgram(request: Caller, options: Gate, principal: Principal): Admission | Promise<Admission> {
  if (principal.actor.kind === 'token') return admitPrincipal(request, options.limits.projects, principal)
  if (!request.url.startsWith(`${ownBase}/`)) return admitNobody(request, options, invalidTokenText)
  return admitPrincipal(request, options.limits.sessions, principal)
}

function admitNobody(request: Caller, { limits }: Gate, message: string): Admission {
  const verdict = limits.networks.take(clientNetwork(request.ip)) as Verdict
  return { verdict, refusal: verdict.admitted ? new ApiError('unauthorized', message) : tooMany(verdict) }
}

function admitPrincipal(request: Caller, limiter: Limiter, principal: Principal): Admission | Promise<Admission> {
  const verdict = limiter.take(principal.bucket)
  return verdict instanceof Promise
    ? verdict.then((known) => judge(request, principal, known))
    : judge(request, principal, verdict)
}

function judge(request: Caller, principal: Principal, verdict: Verdict): Admission {
  if (isReadOnly(principal) && request.method !== 'GET' && request.method !== 'HEAD') {
    const refusal = new ApiError('token_readonly', 'this token is only allowed to perform GET requests')
    return { principal, verdict, refusal }
  }
  return verdict.admitted ? { principal, verdict } : { principal, verdict, refusal: tooMany(verdict) }
}

/** Whether it is an API token that reads: a viewer of its Project, whatever a request is about. */
function isReadOnly({ actor, roles }: Principal): boolean {
  if (actor.kind !== 'token') return false
  for (const role of roles.values()) if (role !== 'viewer') return false
  return true
}

function tooMany(verdict: Verdict): ApiError {
  return new ApiError('rate_limit_exceeded', `limit of ${verdict.limit} requests per hour reached`)
}
