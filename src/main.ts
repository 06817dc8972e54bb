#!/usr/bin/env node
/** The command line: runs one command and reports a failure in one line. */
import { Command } from 'commander'
import { askServer } from './commands/admin-channel.ts'
import type { Administer } from './commands/administer.ts'
import { backupCommand, restoreCommand } from './commands/backup.ts'
import { catalogueCommand } from './commands/catalogue.ts'
import { administrativeCommands, type FailedCommand, runCommandLine } from './commands/command-line.ts'
import { withDatabase } from './commands/database.ts'
import { endWithin } from './commands/exit.ts'
import { infrastructureCommand } from './commands/infrastructure.ts'
import { carryOut } from './commands/noted.ts'
import { proxyCommand } from './commands/proxy.ts'
import { replayCommand } from './commands/replay.ts'
import { secretsCommand } from './commands/secrets.ts'
import { exportCommand, importCommand, seedCommand } from './commands/seed.ts'
import { serveCommand } from './commands/serve.ts'
import { snapshotCommand } from './commands/snapshot.ts'
import { execCommand } from './library/commands/exec.ts'
import { mcpCommand } from './library/commands/mcp.ts'
import { version } from './version.ts'

const args = process.argv.slice(2)

const administer: Administer = async (database, work) => {
  if (database.engine !== 'running server')
    return withDatabase(database, (db) => carryOut(args, db, (own) => work(own, console.log)))
  const { output, failure } = await askServer(database, args)
  process.stdout.write(output)
  if (failure) process.exitCode = report(failure)
}

function report({ message, exitCode }: FailedCommand): number {
  if (message !== undefined) console.error(`wolke: ${message}`)
  return exitCode
}

const program = new Command('wolke')
  .description('A cloud that you run yourself: projects, servers, firewalls and more behind one API')
  .version(version)
const commands = [
  serveCommand(),
  ...administrativeCommands(administer),
  secretsCommand(),
  infrastructureCommand(),
  catalogueCommand(),
  backupCommand(),
  restoreCommand(),
  snapshotCommand(),
  proxyCommand(),
  execCommand(),
  mcpCommand(),
  seedCommand(),
  exportCommand(),
  importCommand(),
  replayCommand(),
]
for (const command of commands) program.addCommand(command)

try {
  const failure = await runCommandLine(program, args, (text) => process.stdout.write(text))
  if (failure) process.exitCode = report(failure)
} catch (error) {
  console.error(error)
  process.exitCode = 1
}
if (process.exitCode) endWithin(0)
