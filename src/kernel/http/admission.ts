/** Who may come in: the principal of a request, and its place in the limit (spec: Authentication, Limits). */
import type { Authenticator, Principal } from '../access/tokens.ts'
import { ApiError } from '../errors.ts'
import { clientNetwork } from './edge.ts'
import type { Limiter, Verdict } from './rate-limit.ts'

/** What admission looks at. */
interface Caller {
  readonly ip: string
  readonly method: string
  readonly headers: { readonly authorization?: string | undefined }
}

interface Gate {
  readonly authenticator: Authenticator
  /** Limits of Projects, and of networks for callers without one. */
  readonly limits: { readonly projects: Limiter; readonly networks: Limiter }
}

/** Whether a request may go on, and on whose behalf. */
export interface Admission {
  readonly principal?: Principal
  readonly verdict: Verdict
  readonly refusal?: ApiError
}

/** Lets by at no cost. */
export function bystander(request: Caller, { limits }: Gate): Admission {
  return { verdict: limits.networks.peek(clientNetwork(request.ip)) }
}

/** Admits to what needs no token; its network pays, whoever asks. Refusals: `rate_limit_exceeded`. */
export function visitor(request: Caller, { limits }: Gate): Admission {
  const verdict = limits.networks.take(clientNetwork(request.ip)) as Verdict
  return verdict.admitted ? { verdict } : { verdict, refusal: tooMany(verdict) }
}

/**
 * Finds the principal of a request and charges its limit (spec: Authentication). Answers at once when the token is
 * remembered, which is nearly always. Refusals: `unauthorized`, `token_readonly`, `rate_limit_exceeded`.
 */
export function admit(request: Caller, options: Gate): Admission | Promise<Admission> {
  const token = bearerToken(request.headers.authorization)
  if (!token) return admitNobody(request, options, 'no API token: send "Authorization: Bearer <token>"')
  const principal = options.authenticator.cached(token)
  return principal ? admitPrincipal(request, options, principal) : admitStranger(request, options, token)
}

function bearerToken(header: string | undefined): string | undefined {
  if (header?.slice(0, 7).toLowerCase() !== 'bearer ') return undefined
  return header.slice(7).trim() || undefined
}

const invalidTokenText = 'the token you provided is invalid'

/** 401 `unauthorized` for a token that is known no longer. */
export function invalidToken(): ApiError {
  return new ApiError('unauthorized', invalidTokenText)
}

/** Whether the token of a request that was admitted is still one, also when it is remembered; true when nobody can say. */
export async function isStillKnown(request: Caller, authenticator: Authenticator): Promise<boolean> {
  const token = bearerToken(request.headers.authorization)
  if (!token) return false
  return authenticator.find(token).then(
    (principal) => principal !== undefined,
    () => true,
  )
}

async function admitStranger(request: Caller, options: Gate, token: string): Promise<Admission> {
  // Also for a network that has used up its guesses: a Project's requests do not depend on who else calls from there.
  const principal = await options.authenticator.find(token)
  return principal ? admitPrincipal(request, options, principal) : admitNobody(request, options, invalidTokenText)
}

function admitNobody(request: Caller, { limits }: Gate, message: string): Admission {
  const verdict = limits.networks.take(clientNetwork(request.ip)) as Verdict
  return { verdict, refusal: verdict.admitted ? new ApiError('unauthorized', message) : tooMany(verdict) }
}

function admitPrincipal(request: Caller, { limits }: Gate, principal: Principal): Admission | Promise<Admission> {
  const verdict = limits.projects.take(principal.bucket)
  return verdict instanceof Promise
    ? verdict.then((known) => judge(request, principal, known))
    : judge(request, principal, verdict)
}

function judge(request: Caller, principal: Principal, verdict: Verdict): Admission {
  if (principal.readOnly && request.method !== 'GET' && request.method !== 'HEAD') {
    const refusal = new ApiError('token_readonly', 'this token is only allowed to perform GET requests')
    return { principal, verdict, refusal }
  }
  return verdict.admitted ? { principal, verdict } : { principal, verdict, refusal: tooMany(verdict) }
}

function tooMany(verdict: Verdict): ApiError {
  return new ApiError('rate_limit_exceeded', `limit of ${verdict.limit} requests per hour reached`)
}
