/** `wolke mail`: what the owners of Projects were told, or not yet. */
import { Command } from 'commander'
import { databaseOption } from '../config.ts'
import { listProjects } from '../kernel/access/projects.ts'
import type { Database } from '../kernel/db.ts'
import type { DatabaseUrl } from '../kernel/dialect.ts'
import { allMail } from '../kernel/mail/deliveries.ts'
import type { MailContent } from '../kernel/mail/outbox.ts'
import { withDatabase } from './database.ts'

export function mailCommand(): Command {
  const command = new Command('mail').description('look into mail to the owners of Projects')
  command
    .command('list')
    .description('list mail: ID, creation, Project, recipient, state, attempts, subject, last error')
    .addOption(databaseOption())
    .action(({ database }: { database: DatabaseUrl }) => withDatabase(database, list))
  return command
}

async function list(db: Database): Promise<void> {
  const names = new Map((await listProjects(db.query)).map(({ id, name }) => [id, name]))
  for await (const { id, created, project_id, recipient, state, attempts, content, last_error } of allMail(db.query)) {
    const { subject } = JSON.parse(content) as MailContent
    console.log([id, created, names.get(project_id), recipient, state, attempts, subject, last_error ?? ''].join('\t'))
  }
}
