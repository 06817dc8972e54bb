/** `wolke mail` lists and resends mail to the owners of Projects, also while a server runs, which then sends it. */
import { Command } from 'commander'
import { administeredOption } from '../config/config.ts'
import { listProjects } from '../kernel/access/projects.ts'
import type { Database } from '../kernel/data/db.ts'
import { parseId } from '../kernel/ids.ts'
import { allMail, retryMail } from '../kernel/mail/deliveries.ts'
import type { MailContent } from '../kernel/mail/template.ts'
import type { Administer, AdministerOptions } from './administer.ts'
import { CommandFailure } from './failure.ts'
import { jsonOption, type ListOptions, type Print, printList } from './output.ts'

export function mailCommand(administer: Administer): Command {
  const command = new Command('mail').description('list mail to the owners of Projects and send it again')
  command
    .command('list')
    .description('list mail: ID, creation, Project, recipient, state, attempts, subject, last error')
    .addOption(administeredOption())
    .addOption(jsonOption())
    .action(({ database, ...options }: AdministerOptions & ListOptions) =>
      administer(database, (db, print) => list(db, print, options)),
    )
  command
    .command('retry <id>')
    .description('requeue mail that was given up or only logged; it goes to the current owner')
    .addOption(administeredOption())
    .action((id: string, { database }: AdministerOptions) => administer(database, (db, print) => retry(db, print, id)))
  return command
}

async function list(db: Database, print: Print, options: ListOptions): Promise<void> {
  const names = new Map((await listProjects(db.query)).map(({ id, name }) => [id, name]))
  await printList(print, mails(db, names), options, ({ last_error, ...mail }) => [
    ...[mail.id, mail.created, mail.project, mail.recipient, mail.state, mail.attempts, mail.subject],
    last_error ?? '',
  ])
}

async function* mails({ query }: Database, names: ReadonlyMap<number, string>) {
  for await (const { id, created, project_id, recipient, state, attempts, content, last_error } of allMail(query)) {
    const { subject } = JSON.parse(content) as MailContent
    // A Project created after its name was looked up here has no mail that matters to this list.
    yield { id, created, project: names.get(project_id) ?? '', recipient, state, attempts, subject, last_error }
  }
}

async function retry(db: Database, print: Print, text: string): Promise<void> {
  const id = parseId(text)
  if (id === undefined || !(await db.transact((tx) => retryMail(tx, id)))) {
    throw new CommandFailure('no mail with this ID was given up or logged for a Project that has an owner')
  }
  print(`Mail ${id} is queued`)
}
