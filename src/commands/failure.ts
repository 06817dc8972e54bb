/** A failure that the operator can do something about: printed as one line, without a stack. */
export class CommandFailure extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}
