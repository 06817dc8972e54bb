#!/usr/bin/env node
/** The command line: runs one command and reports a failure in one line. */
import { Command } from 'commander'
import { type FailedCommand, runCommandLine } from './commands/command-line.ts'
import { useConfigFile } from './commands/config-file.ts'
import { endWithin } from './commands/exit.ts'
import { serveCommand } from './commands/serve.ts'
import { versionLine } from './commands/version.ts'

const args = process.argv.slice(2)

function report(failure: FailedCommand): void {
  const { message, exitCode } = placed(failure)
  if (message !== undefined) console.error(`wolke: ${message}`)
  process.exitCode = exitCode
}

const program = new Command('wolke')
  .description('A cloud that you run yourself: projects, servers, firewalls and more behind one API')
  .version(versionLine)
program.addCommand(serveCommand())
if (args[0] !== 'serve') {
  const { otherCommands } = await import('./other-commands.ts')
  for (const command of otherCommands(args, report)) program.addCommand(command)
}

const placed = useConfigFile(program)

try {
  const failure = await runCommandLine(program, args, (text) => process.stdout.write(text))
  if (failure) report(failure)
} catch (error) {
  console.error(error)
  process.exitCode = 1
}
if (process.exitCode) endWithin(0)
