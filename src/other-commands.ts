/** All commands but `wolke serve`, which starts without them. */
import type { Command } from 'commander'
import { askServer, liveServers } from './commands/admin-channel.ts'
import type { Administer } from './commands/administer.ts'
import { administrativeCommands } from './commands/administrative.ts'
import { backupCommand, restoreCommand } from './commands/backup.ts'
import { catalogueCommand } from './commands/catalogue.ts'
import type { FailedCommand } from './commands/command-line.ts'
import { configCommand } from './commands/config.ts'
import { withDatabase } from './commands/database.ts'
import { type Consult, watchFlag } from './commands/doctor.ts'
import { examineFromOutside } from './commands/from-outside.ts'
import { healthCommand } from './commands/health.ts'
import { hostCommand } from './commands/host.ts'
import { infrastructureCommand } from './commands/infrastructure.ts'
import { completionCommand, manualCommand } from './commands/manual.ts'
import { carryOut } from './commands/noted.ts'
import { proxyCommand } from './commands/proxy.ts'
import { replayCommand } from './commands/replay.ts'
import { secretsCommand } from './commands/secrets.ts'
import { exportCommand, importCommand, seedCommand } from './commands/seed.ts'
import { snapshotCommand } from './commands/snapshot.ts'
import type { Config, RunningServer } from './config/config.ts'
import { execCommand } from './library/commands/exec.ts'
import { mcpCommand } from './library/commands/mcp.ts'

/** The commands in the order of the help; `failed` is told of a failure on a running server. */
export function otherCommands(args: readonly string[], failed: (failure: FailedCommand) => void): Command[] {
  const administer: Administer = async (database, work) => {
    if (database.engine !== 'running server')
      return withDatabase(database, (db) =>
        carryOut(args, db, (own) => work(own, console.log, () => liveServers(database))),
      )
    await send(database)
  }
  const consult: Consult = (options, work) =>
    options.database.engine === 'running server'
      ? send(options.database)
      : work(() => examineFromOutside(options as Config), console.log)
  /** A server carries the command out and answers once; whoever watches asks it again. */
  const send = async (server: RunningServer) => {
    const { output, failure } = await askServer(
      server,
      args.filter((arg) => arg !== watchFlag),
    )
    process.stdout.write(output)
    if (failure) failed(failure)
  }
  return [
    configCommand(),
    ...administrativeCommands(administer, consult),
    healthCommand(),
    secretsCommand(),
    infrastructureCommand(),
    hostCommand(),
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
    manualCommand(),
    completionCommand(),
  ]
}
