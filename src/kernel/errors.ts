/**
 * Every way in which a request can be refused. One append-only table maps each general code to its HTTP status, families
 * add the codes of their calls, and one class carries them all. Anything else that is thrown is a bug and reaches the
 * caller as `server_error` without its text.
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

/** Codes of single calls, which each family adds in its contract with the statuses that they have. */
// biome-ignore lint/suspicious/noEmptyInterface: families add to it
export interface CallCodes {}

export type ErrorCode = keyof typeof generalStatuses | keyof CallCodes

/** The status of a code where an endpoint names no other one: codes of single calls are about the input. */
export function statusOf(code: ErrorCode): number {
  return code in generalStatuses ? generalStatuses[code as keyof typeof generalStatuses] : 422
}

/** One thing wrong with the input: `field` is a dotted, indexed path such as `rules[0].port`. */
export interface Problem {
  readonly field: string
  readonly message: string
}

/** The `details` of an error object; its shape depends on the code (spec: Details shapes). */
export type ErrorDetails = Readonly<Record<string, unknown>> | null

/** A refusal that the caller is told of, as `{error: {code, message, details}}` with the status of its code. */
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

/** 422 `invalid_input` that names every bad field once in its message and groups the reasons in `details.fields`. */
export function invalidInput(problems: readonly Problem[], message?: string): ApiError {
  const fields = new Map<string, string[]>()
  for (const { field, message: reason } of problems) fields.set(field, [...(fields.get(field) ?? []), reason])
  const names = [...new Set(problems.map((problem) => problem.field.split(/[.[]/, 1)[0]))]
  const quoted = names.map((name) => `'${name}'`).join(', ')
  const text = names.length === 1 ? `invalid input in field ${quoted}` : `invalid input in fields ${quoted}`
  return new ApiError('invalid_input', message ?? text, {
    details: { fields: [...fields].map(([name, messages]) => ({ name, messages })) },
  })
}

/** 404 `not_found` for a resource named in the path, the same text whether it is foreign, deleted or never was. */
export function notFound(what: string, id: number | string): ApiError {
  return new ApiError('not_found', `${what} with ID '${id}' not found`)
}

/** 409 `uniqueness_error` that names the field. */
export function notUnique(field: string, message: string): ApiError {
  return new ApiError('uniqueness_error', message, { details: { fields: [{ name: field }] } })
}
