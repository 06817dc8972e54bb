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
    super(message)
    this.code = code
    this.details = details
    this.status = status
  }
}
