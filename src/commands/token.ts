/** `wolke token`: who may use the API, also while a server runs; it notices a revocation within 5 s. */
import { Command } from 'commander'
import { databaseOption } from '../config.ts'
import { createToken, listTokens, revokeToken } from '../kernel/access/tokens.ts'
import type { Database } from '../kernel/data/db.ts'
import type { DatabaseUrl } from '../kernel/data/dialect.ts'
import { timestamp } from '../kernel/process/clock.ts'
import { withDatabase } from './database.ts'
import { CommandFailure } from './failure.ts'
import { checkName, projectNamed } from './project.ts'

interface CreateOptions {
  readonly database: DatabaseUrl
  readonly project: string
  readonly readOnly?: boolean
  readonly name: string
}

export function tokenCommand(): Command {
  const command = new Command('token').description('create, list and revoke API tokens')
  command
    .command('create')
    .description('create a token and print it, this once')
    .addOption(databaseOption())
    .requiredOption('--project <name>', 'the Project that it reaches')
    .option('--read-only', 'only allow GET requests')
    .option('--name <name>', 'what it is for', 'token')
    .action((options: CreateOptions) => withDatabase(options.database, (db) => create(db, options)))
  command
    .command('list')
    .description('list tokens: ID, Project, name, rights, last four characters, creation')
    .addOption(databaseOption())
    .action(({ database }: CreateOptions) => withDatabase(database, list))
  command
    .command('revoke <id-or-token>')
    .description('revoke a token')
    .addOption(databaseOption())
    .action((id: string, { database }: CreateOptions) => withDatabase(database, (db) => revoke(db, id)))
  return command
}

async function create(db: Database, { project, name, readOnly = false }: CreateOptions): Promise<void> {
  checkName('a token name', name)
  const { id: projectId } = await projectNamed(db, project)
  console.log(await db.transact((tx) => createToken(tx, { projectId, name, readOnly, created: timestamp(tx.now) })))
}

async function list(db: Database): Promise<void> {
  for (const { id, project, name, read_only, tail, created } of await listTokens(db.query)) {
    console.log([id, project, name, read_only ? 'read-only' : 'read-write', `...${tail}`, created].join('\t'))
  }
}

async function revoke(db: Database, id: string): Promise<void> {
  if (!(await revokeToken(db, id))) throw new CommandFailure('there is no such token')
  console.log('Token revoked')
}
