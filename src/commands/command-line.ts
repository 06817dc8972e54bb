/** Runs one command line and reports a failure in one line. */
import { type Command, CommanderError, InvalidArgumentError } from 'commander'
import { CommandFailure } from './failure.ts'

/** The failure of a command. Without a message the parser has printed help because a subcommand was missing. */
export interface FailedCommand {
  readonly message?: string
  /** 2 for a bad command line, 1 for a failure while running. */
  readonly exitCode: number
}

/**
 * Runs the command that `args` name; `write` receives the help text that it asks for. Returns the reason of a failure
 * that an operator can act on and throws any other error.
 */
export async function runCommandLine(
  program: Command,
  args: readonly string[],
  write: (text: string) => void,
): Promise<FailedCommand | undefined> {
  redirect(program, write)
  try {
    await program.parseAsync(args, { from: 'user' })
    return undefined
  } catch (error) {
    return failureOf(error)
  }
}

function redirect(command: Command, writeOut: (text: string) => void): void {
  command.exitOverride().configureOutput({ writeOut, outputError: () => undefined })
  for (const child of command.commands) redirect(child, writeOut)
}

function failureOf(error: unknown): FailedCommand | undefined {
  if (error instanceof CommandFailure) return { message: error.message, exitCode: error.exitCode }
  if (error instanceof CommanderError || error instanceof InvalidArgumentError) {
    if (error instanceof CommanderError && error.exitCode === 0) return undefined
    if (error.code === 'commander.help') return { exitCode: 2 }
    return { message: withoutSecrets(error.message.replace(/^error: /, '')), exitCode: 2 }
  }
  throw error
}

/**
 * Removes values from the parser's messages: a token or the password in a URL must not reach a log, however it is
 * mistyped.
 */
function withoutSecrets(message: string): string {
  return message
    .replace(
      /^(option '--(?:token|to|database|smtp|acme-eab-key) .*?' (?:argument|value)) '(.*?)'(?=(?: from env '\w+')? is invalid\.)/s,
      (_, option, { length }) => `${option} of ${length} characters`,
    )
    .replace(/^(unknown option '[^'=]*)=.*?'(?=$|\n)/s, "$1'")
}
