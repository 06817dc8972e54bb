/** A refusal of a cloud, for users of the library. */
import type * as Public from './wolke.ts'

interface Refusal {
  readonly code: string
  readonly message: string
  readonly details: unknown
}

export class WolkeError extends Error implements Public.WolkeError {
  override readonly name = 'WolkeError'
  readonly code: string
  readonly details: unknown
  readonly status: number

  constructor({ code, message, details }: Refusal, status: number) {
    super([message, ...problemsIn(details)].join('; '))
    this.code = code
    this.details = details
    this.status = status
  }
}

/** The problems of the fields, each in words: who reads only the message learns of them, too. */
function problemsIn(details: unknown): string[] {
  const { fields = [] } = (details ?? {}) as { readonly fields?: readonly Problem[] }
  return fields.map(({ name, messages }) => `${name}: ${messages.join(', ')}`)
}

interface Problem {
  readonly name: string
  readonly messages: readonly string[]
}
