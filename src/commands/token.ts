/** `wolke token` manages API tokens, also while a server runs; the server notices a revocation within 5 s. */
import { Command } from 'commander'
import { administeredOption } from '../config.ts'
import { createToken, listTokens, revokeToken } from '../kernel/access/tokens.ts'
import type { Database } from '../kernel/data/db.ts'
import { timestamp } from '../kernel/process/clock.ts'
import type { Administer, AdministerOptions } from './administer.ts'
import { CommandFailure } from './failure.ts'
import { jsonOption, type ListOptions, type Print, printList } from './output.ts'
import { checkName, projectNamed } from './project.ts'

interface CreateOptions extends AdministerOptions {
  readonly project: string
  readonly readOnly?: boolean
  readonly name: string
}

export function tokenCommand(administer: Administer): Command {
  const command = new Command('token').description('create, list and revoke API tokens')
  command
    .command('create')
    .description('create a token and print it; it cannot be shown again')
    .addOption(administeredOption())
    .requiredOption('--project <name>', 'the Project that it gives access to')
    .option('--read-only', 'only allow GET requests')
    .option('--name <name>', 'a name that says what the token is for', 'token')
    .action((options: CreateOptions) => administer(options.database, (db, print) => create(db, print, options)))
  command
    .command('list')
    .description('list tokens: ID, Project, name, rights, last four characters, creation')
    .addOption(administeredOption())
    .addOption(jsonOption())
    .action(({ database, ...options }: AdministerOptions & ListOptions) =>
      administer(database, (db, print) => list(db, print, options)),
    )
  command
    .command('revoke <id-or-token>')
    .description('revoke a token')
    .addOption(administeredOption())
    .action((id: string, { database }: AdministerOptions) => administer(database, (db, print) => revoke(db, print, id)))
  return command
}

async function create(db: Database, print: Print, { project, name, readOnly = false }: CreateOptions): Promise<void> {
  checkName('a token name', name)
  const { id: projectId } = await projectNamed(db, project)
  print(await db.transact((tx) => createToken(tx, { projectId, name, readOnly, created: timestamp(tx.now) })))
}

async function list(db: Database, print: Print, options: ListOptions): Promise<void> {
  const tokens = (await listTokens(db.query)).map(({ id, project, name, read_only, given, tail, created }) => ({
    ...{ id, project, name, read_only: read_only === 1, given: given === 1, ends_with: tail, created },
  }))
  await printList(print, tokens, options, ({ id, project, name, read_only, ends_with, created }) => [
    ...[id, project, name, read_only ? 'read-only' : 'read-write', `...${ends_with}`, created],
  ])
}

async function revoke(db: Database, print: Print, id: string): Promise<void> {
  if (!(await revokeToken(db, id))) throw new CommandFailure('there is no such token')
  print('Token revoked')
}
