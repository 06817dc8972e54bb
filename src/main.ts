#!/usr/bin/env node
/** The command line: parse, run one command, say in one line what went wrong. */
import { Command, CommanderError, InvalidArgumentError } from 'commander'
import { backupCommand, restoreCommand } from './commands/backup.ts'
import { CommandFailure } from './commands/failure.ts'
import { mailCommand } from './commands/mail.ts'
import { projectCommand } from './commands/project.ts'
import { secretsCommand } from './commands/secrets.ts'
import { serveCommand } from './commands/serve.ts'
import { tokenCommand } from './commands/token.ts'
import { version } from './version.ts'

const program = new Command('wolke')
  .description('A cloud that you run yourself: projects, servers, firewalls and more behind one API')
  .version(version)
const commands = [
  serveCommand(),
  projectCommand(),
  tokenCommand(),
  secretsCommand(),
  mailCommand(),
  backupCommand(),
  restoreCommand(),
]
for (const command of commands) program.addCommand(command)

function quiet(command: Command): void {
  command.exitOverride().configureOutput({ outputError: () => undefined })
  for (const child of command.commands) quiet(child)
}
quiet(program)

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = report(error)
}

/** The parser repeats what it refuses. A token or the password in an URL is not for logs, however it is mistyped. */
function withoutSecrets(message: string): string {
  return message
    .replace(
      /^(option '--(?:token|database|smtp) .*?' (?:argument|value)) '(.*?)'(?=(?: from env '\w+')? is invalid\.)/s,
      (_, option, { length }) => `${option} of ${length} characters`,
    )
    .replace(/^(unknown option '[^'=]*)=.*?'(?=$|\n)/s, "$1'")
}

/** Prints the failure and returns the exit code: 2 for a bad command line, 1 for what went wrong while running. */
function report(error: unknown): number {
  if (error instanceof CommandFailure) {
    console.error(`wolke: ${error.message}`)
    return error.exitCode
  }
  if (error instanceof CommanderError || error instanceof InvalidArgumentError) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    if (error.code !== 'commander.help')
      console.error(`wolke: ${withoutSecrets(error.message.replace(/^error: /, ''))}`)
    return 2
  }
  console.error(error)
  return 1
}
