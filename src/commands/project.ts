/** `wolke project` manages the tenants of this installation, also while a server runs. */
import { Command, Option } from 'commander'
import { administeredOption } from '../config/config.ts'
import { mailAddress } from '../config/mail.ts'
import { limitedPaths } from '../families.ts'
import { isPlainName, plainNameRule } from '../kernel/access/names.ts'
import { createProject, deleteProject, findProject, listProjects } from '../kernel/access/projects.ts'
import { noteProject } from '../kernel/audit/audited.ts'
import type { Database } from '../kernel/data/db.ts'
import { ApiError } from '../kernel/errors.ts'
import { changeOwner } from '../kernel/mail/outbox.ts'
import { timestamp } from '../kernel/process/clock.ts'
import { limitsOf, parseLimits, setLimits } from '../kernel/resource/limits.ts'
import type { Administer, AdministerOptions } from './administer.ts'
import { CommandFailure } from './failure.ts'
import { jsonOption, type ListOptions, type Print, printList } from './output.ts'

interface Options extends AdministerOptions, ListOptions {
  readonly ownerEmail?: string
}

export function projectCommand(administer: Administer): Command {
  const command = new Command('project').description('create, list, change and delete Projects')
  command
    .command('create <name>')
    .description('create a Project')
    .addOption(administeredOption())
    .addOption(ownerOption('<address>', mailAddress))
    .action((name: string, { database, ownerEmail }: Options) => {
      // Checked before the database is opened, so that a bad command line leaves nothing behind.
      checkName('a project name', name)
      return administer(database, (db, print) => create(db, print, name, ownerEmail))
    })
  command
    .command('list')
    .description('list the Projects: ID, name, creation, address of the owner')
    .addOption(administeredOption())
    .addOption(jsonOption())
    .action(({ database, ...options }: Options) => administer(database, (db, print) => list(db, print, options)))
  command
    .command('set <name>')
    .description('change a Project')
    .addOption(administeredOption())
    .addOption(ownerOption('<address|none>', addressOrNone).makeOptionMandatory())
    .action((name: string, { database, ownerEmail }: Options) =>
      administer(database, (db, print) => setOwner(db, print, name, ownerEmail === none ? null : ownerEmail!)),
    )
  command
    .command('limits <name> [limits]')
    .description('show or set the limits of a Project: KIND=NUMBER|off|default,...')
    .addOption(administeredOption())
    .addOption(jsonOption())
    .action((name: string, given: string | undefined, { database, ...options }: Options) =>
      administer(database, (db, print) => limits(db, print, name, { given, ...options })),
    )
  command
    .command('delete <name>')
    .description('delete an empty Project and its tokens')
    .addOption(administeredOption())
    .action((name: string, { database }: Options) => administer(database, (db, print) => remove(db, print, name)))
  return command
}

/** Stands for no owner, in options and in lists. */
const none = 'none'

const addressOrNone = (text: string) => (text === none ? none : mailAddress(text))

function ownerOption(value: string, parse: (text: string) => string): Option {
  return new Option(`--owner-email ${value}`, 'address that receives mail about the Project').argParser(parse)
}

/** Refuses names that would break a list of one line per entry. Errors: `CommandFailure`. */
export function checkName(what: string, name: string): void {
  if (!isPlainName(name)) throw new CommandFailure(`${what} ${plainNameRule}`, 2)
}

async function create(db: Database, print: Print, name: string, ownerEmail: string | undefined): Promise<void> {
  try {
    const project = await db.transact(async (tx) => {
      const made = await createProject(tx, name, timestamp(tx.now), ownerEmail)
      noteProject(made, tx)
      return made
    })
    print(`Project ${project.name} created with ID ${project.id}`)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'uniqueness_error') throw new CommandFailure(error.message)
    throw error
  }
}

async function list(db: Database, print: Print, options: ListOptions): Promise<void> {
  const projects = (await listProjects(db.query)).map(({ id, name, created, owner_email }) => ({
    ...{ id, name, created, owner_email },
  }))
  await printList(print, projects, options, ({ id, name, created, owner_email }) => [
    ...[id, name, created, owner_email ?? none],
  ])
}

/** Errors: `CommandFailure` when there is no such Project. */
export async function projectNamed(db: Database, name: string) {
  const project = await findProject(db.query, name)
  if (!project) throw new CommandFailure(`there is no project named '${name}'`)
  noteProject(project)
  return project
}

async function setOwner(db: Database, print: Print, name: string, email: string | null): Promise<void> {
  const { id: projectId } = await projectNamed(db, name)
  await db.transact((tx) => changeOwner(tx, { projectId }, email))
  print(`Project ${name} changed`)
}

interface LimitsOptions extends ListOptions {
  /** Limits to set before they are shown. */
  readonly given: string | undefined
}

async function limits(db: Database, print: Print, name: string, { given, ...options }: LimitsOptions): Promise<void> {
  const parsed = given === undefined ? {} : parseLimits(given, limitedPaths)
  if (typeof parsed === 'string') throw new CommandFailure(parsed, 2)
  const scope = { projectId: (await projectNamed(db, name)).id }
  if (given !== undefined) {
    await db.transact((tx) => setLimits(tx, scope, parsed))
  }
  const own = await limitsOf(db.query, scope)
  const shown = limitedPaths.map((kind) => ({
    kind,
    limit: own.has(kind) ? (own.get(kind) ?? 'off') : 'default',
  }))
  await printList(print, shown, options, ({ kind, limit }) => [kind, limit])
}

async function remove(db: Database, print: Print, name: string): Promise<void> {
  const project = await projectNamed(db, name)
  if (!(await deleteProject(db, project))) {
    throw new CommandFailure(`project '${name}' still has resources; delete them first`)
  }
  print(`Project ${name} deleted`)
}
