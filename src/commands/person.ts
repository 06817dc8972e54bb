/** `wolke person` manages the people of this installation, also while a server runs. */
import { Command, Option } from 'commander'
import { administeredOption } from '../config/config.ts'
import { mailAddress } from '../config/mail.ts'
import { publicUrlOption } from '../config/people.ts'
import { noteSubjects } from '../kernel/audit/audited.ts'
import type { Database } from '../kernel/data/db.ts'
import { ApiError } from '../kernel/errors.ts'
import { findConsoleOrigin } from '../people/console-origin-store.ts'
import { disablePerson } from '../people/disabling.ts'
import { createPerson, findPerson, hasAdmin, hasOtherAdmin, listPeople, lockSetup } from '../people/person-store.ts'
import { makePersonLink } from '../people/sessions/resets.ts'
import { ownDefault } from '../people/setup.ts'
import type { PersonRow } from '../people/tables.ts'
import type { Administer, AdministerOptions } from './administer.ts'
import { CommandFailure } from './failure.ts'
import { commandLine } from './noted.ts'
import { jsonOption, type ListOptions, type Print, printList } from './output.ts'

interface LinkOptions extends AdministerOptions {
  readonly publicUrl: readonly string[]
}

interface CreateOptions extends LinkOptions {
  readonly email: string
  readonly name?: string
  readonly admin?: boolean
}

export function personCommand(administer: Administer): Command {
  const command = new Command('person').description('create, list and disable people, and let them in again')
  command
    .command('create')
    .description('create a person and print a link with which they set their password')
    .addOption(administeredOption())
    .addOption(publicUrlOption())
    .addOption(
      new Option('--email <address>', 'the address of the person').argParser(mailAddress).makeOptionMandatory(),
    )
    .option('--name <name>', 'the name of the person')
    .option('--admin', 'let the person administer the installation')
    .action((options: CreateOptions) => administer(options.database, (db, print) => create(db, print, options)))
  command
    .command('list')
    .description(
      'list people: ID, address, name, role in the installation, creation, whether they are disabled and verified',
    )
    .addOption(administeredOption())
    .addOption(jsonOption())
    .action(({ database, ...options }: AdministerOptions & ListOptions) =>
      administer(database, (db, print) => list(db, print, options)),
    )
  command
    .command('link <address>')
    .description('print a link with which a person sets a new password; it works once, for a day')
    .addOption(administeredOption())
    .addOption(publicUrlOption())
    .action((email: string, { database, publicUrl }: LinkOptions) =>
      administer(database, async (db, print) => print(await linkFor(db, await personNamed(db, email), publicUrl))),
    )
  command
    .command('disable <address>')
    .description('end the sessions of a person and refuse new ones')
    .addOption(administeredOption())
    .action((email: string, { database }: AdministerOptions) =>
      administer(database, (db, print) => disable(db, print, email)),
    )
  return command
}

async function create(db: Database, print: Print, options: CreateOptions): Promise<void> {
  const { email, name = '', admin = false, publicUrl } = options
  try {
    const person = await db.transact(async (tx) => {
      await lockSetup(tx)
      const isFirst = admin && !(await hasAdmin(tx.query))
      const made = await createPerson(tx, { email, name, installationRole: admin ? 'admin' : 'none' })
      // The setup in a browser does the same.
      if (isFirst) await ownDefault(tx, made, { actor: commandLine(), network: '' })
      return made
    })
    print(await linkFor(db, person, publicUrl))
  } catch (error) {
    if (error instanceof ApiError && error.code === 'uniqueness_error') throw new CommandFailure(error.message)
    throw error
  }
}

/** The link names what --public-url of the command says, or else where the server is. */
async function linkFor(db: Database, { id }: PersonRow, [publicUrl]: readonly string[]): Promise<string> {
  const origin = publicUrl ?? (await findConsoleOrigin(db.query)) ?? 'http://127.0.0.1:8080'
  return `${origin}/console/reset#${await makePersonLink(db, id)}`
}

async function list(db: Database, print: Print, options: ListOptions): Promise<void> {
  const people = (await listPeople(db.query)).map(
    ({ id, email, name, installation_role, created, disabled, verified }) => ({
      ...{ id, email, name, installation_role, created, disabled, verified },
    }),
  )
  await printList(print, people, options, ({ id, email, name, installation_role, created, disabled, verified }) => [
    ...[id, email, name, installation_role, created, disabled === null ? 'enabled' : 'disabled'],
    verified === null ? 'not verified' : 'verified',
  ])
}

async function personNamed(db: Database, email: string): Promise<PersonRow> {
  const person = await findPerson(db, email)
  if (!person) throw new CommandFailure(`there is no person with the address ${email}`)
  noteSubjects([person.id])
  return person
}

async function disable(db: Database, print: Print, email: string): Promise<void> {
  const person = await personNamed(db, email)
  await db.transact(async (tx) => {
    await lockSetup(tx)
    if (person.installation_role === 'admin' && !(await hasOtherAdmin(tx.query, person.id))) {
      throw new CommandFailure('nobody else administers the installation: create somebody with --admin first')
    }
    await disablePerson(tx, person)
  })
  print('Person disabled; sessions end within 5 s')
}
