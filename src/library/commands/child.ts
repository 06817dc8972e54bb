/** Runs the command of somebody as if there were nothing around it: its input and output, its signals, its exit code. */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { CommandFailure } from '../../commands/failure.ts'
import type { Environment } from '../environment.ts'

const handedOn = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Hands signals on to one command after the other. */
export class Signals {
  #child: { kill(signal: NodeJS.Signals): unknown } | undefined
  #ended: NodeJS.Signals | undefined
  readonly #take = (signal: NodeJS.Signals) => {
    this.#ended = signal
    // A terminal has sent it to the command, too, and many take a second one for more urgent.
    if (!(signal === 'SIGINT' && process.stdin.isTTY)) this.#child?.kill(signal)
  }

  constructor() {
    for (const signal of handedOn) process.on(signal, this.#take)
  }

  /** The exit code of who was told to end. */
  get code(): number | undefined {
    return this.#ended && codeOf(this.#ended)
  }

  /** Runs a command to its end; returns its exit code. Errors: `CommandFailure` when it cannot be started. */
  async run([program, ...args]: readonly [string, ...string[]], env: Environment): Promise<number> {
    if (this.code !== undefined) return this.code
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    const child = spawn(program, args, { stdio: 'inherit', env })
    this.#child = child
    child.once('error', (error) => reject(cannotStart(program, error)))
    child.once('exit', (code, signal) => resolve(signal ? codeOf(signal) : code!))
    try {
      return await promise
    } finally {
      this.#child = undefined
    }
  }

  [Symbol.dispose](): void {
    for (const signal of handedOn) process.off(signal, this.#take)
  }
}

/** Shells say so who was ended by a signal. */
const codeOf = (signal: NodeJS.Signals) => 128 + constants.signals[signal]

/** The codes are those of shells. */
function cannotStart(program: string, { code, message }: NodeJS.ErrnoException): CommandFailure {
  if (code === 'ENOENT') return new CommandFailure(`there is no program ${program}`, 127)
  return new CommandFailure(`${program} cannot be started: ${message}`, 126)
}
