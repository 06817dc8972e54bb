/** Failures of calls. */
import type { ErrorCode } from '../../src/kernel/errors.ts'

/** Codes of the API, and those of the way there. */
export type FailureCode = ErrorCode | 'unreachable' | 'unreadable'

/** The problems of one field of a form, by the name of the field in the request. */
export type FieldProblems = Readonly<Record<string, readonly string[]>>

/** The codes that came with what the server said about fields. */
const codes = new Map<string, FailureCode>()

/** The code that a text came with, if the server said it about a field or a part of it; undefined for other texts. */
export function saidByServer(text: string): FailureCode | undefined {
  return codes.get(text) ?? codes.get(text.replace(/^[[.]\S* /, ''))
}

interface Facts {
  readonly status: number
  readonly code: FailureCode
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>> | null
  /** Names the request in the log of the server. */
  readonly correlationId?: string | undefined
  /** The time from which the caller may ask again (ms since the epoch), if it was too early. */
  readonly retryAt?: number | undefined
  /** True if the call asked for a change. */
  readonly isChange?: boolean
}

/** Codes of calls whose answer did not come, so that nobody here knows what the server did. */
const withoutAnswer: readonly FailureCode[] = ['unreachable', 'unreadable', 'timeout']

export class ApiFailure extends Error {
  readonly status: number
  readonly code: FailureCode
  readonly details: Readonly<Record<string, unknown>> | null
  readonly correlationId: string | undefined
  readonly retryAt: number | undefined
  /** True if a change was asked for, and may have been made all the same. */
  readonly isUncertain: boolean

  constructor({ status, code, message, details = null, correlationId, retryAt, isChange = false }: Facts) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
    this.correlationId = correlationId
    this.retryAt = retryAt
    this.isUncertain = isChange && withoutAnswer.includes(code)
  }

  /** The problems by field: from `details.fields` of the reply; empty where the reply names none. */
  get fields(): FieldProblems {
    const { fields } = this.details ?? {}
    if (!Array.isArray(fields)) return {}
    const named = fields as readonly { readonly name: string; readonly messages?: readonly string[] }[]
    const said = named.map(({ name, messages = [this.message] }) => [name, messages] as const)
    for (const [, messages] of said) for (const one of messages) codes.set(one, this.code)
    return Object.fromEntries(said)
  }

  /** The same failure without the problems of some fields. */
  without(isLeftOut: (field: string) => boolean): ApiFailure {
    const { status, code, message, correlationId, retryAt } = this
    const given = this.details?.fields
    if (!Array.isArray(given)) return this
    const details = { ...this.details, fields: given.filter(({ name }: { readonly name: string }) => !isLeftOut(name)) }
    return new ApiFailure({ status, code, message, details, correlationId, retryAt })
  }

  /** True if asking again may help without anything being changed. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500
  }
}

export function toFailure(cause: unknown): ApiFailure {
  if (cause instanceof ApiFailure) return cause
  return new ApiFailure({
    status: 0,
    code: 'unreadable',
    message: cause instanceof Error ? cause.message : String(cause),
  })
}
