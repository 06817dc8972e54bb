/**
 * Refusals of requests. One append-only table maps each general code to its HTTP status, families add the codes of
 * their operations, and one class carries them all. Any other error is a bug and reaches the caller as `server_error`
 * without its message.
 */

/** General codes and their statuses (spec: Errors). Append only. */
const generalStatuses = {
  json_error: 400,
  unauthorized: 401,
  token_readonly: 401,
  forbidden: 403,
  maintenance: 403,
  resource_limit_exceeded: 403,
  not_found: 404,
  method_not_allowed: 405,
  uniqueness_error: 409,
  conflict: 409,
  deprecated_api_endpoint: 410,
  resource_unavailable: 412,
  invalid_input: 422,
  service_error: 422,
  unsupported_error: 422,
  locked: 423,
  protected: 423,
  rate_limit_exceeded: 429,
  server_error: 500,
  unavailable: 503,
  timeout: 504,
} as const satisfies Record<string, number>

export const generalCodes: readonly string[] = Object.keys(generalStatuses)

/** Codes of single operations, which each family adds in its contract together with their statuses. */
// biome-ignore lint/suspicious/noEmptyInterface: families add to it
export interface CallCodes {}

export type ErrorCode = keyof typeof generalStatuses | keyof CallCodes

/**
 * The default status of a code. Codes of single operations concern the input, so they are 422 unless an endpoint says
 * otherwise.
 */
export function statusOf(code: ErrorCode): number {
  return code in generalStatuses ? generalStatuses[code as keyof typeof generalStatuses] : 422
}

/** One problem with the input: `field` is a dotted, indexed path such as `rules[0].port`. */
export interface Problem {
  readonly field: string
  readonly message: string
  /** Whether the message is a limit, which many programs never see unless the refusal itself says it. */
  readonly isLimit?: true
}

/** Thrown by what reads a part of a request that is too long: its message is a limit. */
export class TooMuch extends Error {}

/** The `details` of an error object; its shape depends on the code (spec: Details shapes). */
export type ErrorDetails = Readonly<Record<string, unknown>> | null

/** A refusal shown to the caller as `{error: {code, message, details}}` with the status of its code. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly details: ErrorDetails

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: ErrorDetails; status?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.code = code
    this.status = options.status ?? statusOf(code)
    this.details = options.details ?? null
  }
}

/**
 * 422 `invalid_input`. Its message names every bad field once, and a limit that is the only problem; `details.fields` lists
 * the problems by field.
 */
export function invalidInput(problems: readonly Problem[], message?: string): ApiError {
  const fields = new Map<string, string[]>()
  for (const { field, message: reason } of problems) fields.set(field, [...(fields.get(field) ?? []), reason])
  const names = [...new Set(problems.map((problem) => problem.field.split(/[.[]/, 1)[0]))]
  const quoted = names.map((name) => `'${name}'`).join(', ')
  const text = names.length === 1 ? `invalid input in field ${quoted}` : `invalid input in fields ${quoted}`
  const limit = problems.length === 1 && problems[0]!.isLimit ? `: ${problems[0]!.message}` : ''
  return new ApiError('invalid_input', message ?? text + limit, {
    details: { fields: [...fields].map(([name, messages]) => ({ name, messages })) },
  })
}

/** 403 `resource_limit_exceeded`: the message says the limit, as in "a network cannot have more than 50 subnets". */
export function limitExceeded(name: string, message: string): ApiError {
  return new ApiError('resource_limit_exceeded', message, { details: { limits: [{ name }] } })
}

/** 404 `not_found` for a resource named in the path, with the same text for foreign, deleted and unknown ids. */
export function notFound(what: string, id: number | string): ApiError {
  return new ApiError('not_found', `${what} with ID '${id}' not found`)
}

/** 409 `uniqueness_error` that names the field. */
export function notUnique(field: string, message: string): ApiError {
  return new ApiError('uniqueness_error', message, { details: { fields: [{ name: field }] } })
}
