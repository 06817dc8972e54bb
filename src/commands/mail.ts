/** `wolke mail`: what the owners of Projects were told, or not yet; also while a server runs, which sends it. */
import { Command } from 'commander'
import { databaseOption } from '../config.ts'
import { listProjects } from '../kernel/access/projects.ts'
import type { Database } from '../kernel/data/db.ts'
import type { DatabaseUrl } from '../kernel/data/dialect.ts'
import { parseId } from '../kernel/ids.ts'
import { allMail, retryMail } from '../kernel/mail/deliveries.ts'
import type { MailContent } from '../kernel/mail/template.ts'
import { withDatabase } from './database.ts'
import { CommandFailure } from './failure.ts'

export function mailCommand(): Command {
  const command = new Command('mail').description('list mail to the owners of Projects, and send it again')
  command
    .command('list')
    .description('list mail: ID, creation, Project, recipient, state, attempts, subject, last error')
    .addOption(databaseOption())
    .action(({ database }: { database: DatabaseUrl }) => withDatabase(database, list))
  command
    .command('retry <id>')
    .description('let mail that was given up or only logged go out after all, to the present owner')
    .addOption(databaseOption())
    .action((id: string, { database }: { database: DatabaseUrl }) => withDatabase(database, (db) => retry(db, id)))
  return command
}

async function list(db: Database): Promise<void> {
  const names = new Map((await listProjects(db.query)).map(({ id, name }) => [id, name]))
  for await (const { id, created, project_id, recipient, state, attempts, content, last_error } of allMail(db.query)) {
    const { subject } = JSON.parse(content) as MailContent
    console.log([id, created, names.get(project_id), recipient, state, attempts, subject, last_error ?? ''].join('\t'))
  }
}

async function retry(db: Database, text: string): Promise<void> {
  const id = parseId(text)
  if (id === undefined || !(await db.transact((tx) => retryMail(tx, id)))) {
    throw new CommandFailure('there is no such mail that was given up or logged and whose Project has an owner')
  }
  console.log(`Mail ${id} waits to be sent`)
}
