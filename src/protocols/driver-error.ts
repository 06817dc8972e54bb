/** A failure reported by the infrastructure. Its message may be shown to the tenant; its cause is only logged. */
export class DriverError extends Error {
  /** True when the same call may succeed later. */
  readonly transient: boolean
  /** The error code of the action. */
  readonly code: string

  constructor(message: string, options: { transient: boolean; code?: string; cause?: unknown }) {
    super(message, { cause: options.cause })
    this.transient = options.transient
    this.code = options.code ?? 'action_failed'
  }
}
