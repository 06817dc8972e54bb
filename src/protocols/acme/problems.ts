/**
 * Translates refusals of an ACME authority into API errors. The authority's own text is for the operator's log only.
 */
import { DriverError } from '../driver-error.ts'

/** A problem document (RFC 8555, 6.7). */
export interface Problem {
  readonly type?: string
  readonly detail?: string
  readonly subproblems?: readonly Problem[]
}

/** The error for an unusable answer. It is transient, because a proxy in between may have sent it. */
export function unusable(what: string): DriverError {
  const cause = new Error(what)
  return new DriverError('the certificate authority sent an unusable answer', { transient: true, cause })
}

/** A refusal as sent by the authority. */
class Refused extends Error {
  readonly types: readonly string[]

  constructor(problem: Problem) {
    super(`${problem.type}: ${String(problem.detail).slice(0, 500)}`)
    this.types = typesOf(problem)
  }
}

/** The last parts of the type URNs of a problem and its subproblems. */
function typesOf({ type, subproblems = [] }: Problem): string[] {
  const nested = Array.isArray(subproblems) ? subproblems.slice(0, 100) : []
  return [type, ...nested.map((problem) => problem?.type)].map((one) => String(one).split(':').at(-1)!)
}

/** Tells whether an error is a refusal of one of the given types. */
export function isOfType(error: unknown, types: readonly string[]): boolean {
  const cause = error instanceof DriverError ? error.cause : undefined
  return cause instanceof Refused && cause.types.some((type) => types.includes(type))
}

const messages = {
  caa_record_does_not_allow_ca: 'a CAA record does not allow the certificate authority',
  ca_dns_validation_failed: 'the certificate authority could not validate a domain through DNS',
  ca_too_many_authorizations_failed_recently:
    'too many validations of a domain have failed at the certificate authority',
  ca_too_many_certificates_issued_for_registered_domain:
    'the certificate authority has issued too many certificates for a registered domain',
  ca_too_many_duplicate_certificates: 'the certificate authority has issued too many certificates for these domains',
}
type Code = keyof typeof messages

/** The text tells which rate limit was exceeded; the most specific pattern comes first. */
const limits: readonly [RegExp, Code][] = [
  [/exact set|duplicate/i, 'ca_too_many_duplicate_certificates'],
  [/authorization|validation/i, 'ca_too_many_authorizations_failed_recently'],
  [/certificates?\b.*\balready issued|registered domain/i, 'ca_too_many_certificates_issued_for_registered_domain'],
]

/** Problem types that mean that a domain could not be validated. */
const validation = ['dns', 'unauthorized', 'incorrectResponse', 'connection', 'tls']
/** Problem types after which a retry may succeed. */
const passing = ['serverInternal', 'badNonce', 'orderNotReady', 'autoRenewalCanceled']

/** Converts a refusal into the error of an action; `isValidation` when it concerns a challenge. */
export function refusalOf(problem: Problem, { isValidation }: { isValidation: boolean }): DriverError {
  const cause = new Refused(problem)
  const code = codeOf(cause, problem, isValidation)
  if (code) return new DriverError(messages[code], { transient: false, code, cause })
  const transient = cause.types.some((type) => passing.includes(type))
  const isLimit = cause.types.includes('rateLimited')
  const message = isLimit
    ? 'the certificate authority accepts no more orders for now'
    : 'the certificate authority refused the request'
  return new DriverError(message, { transient, cause })
}

function codeOf({ types }: Refused, problem: Problem, isValidation: boolean): Code | undefined {
  if (types.includes('caa')) return 'caa_record_does_not_allow_ca'
  if (types.includes('rateLimited')) return limits.find(([pattern]) => pattern.test(String(problem.detail)))?.[1]
  return isValidation && types.some((type) => validation.includes(type)) ? 'ca_dns_validation_failed' : undefined
}
