/** `wolke token` manages API tokens, also while a server runs; the server notices a revocation within 5 s. */
import { Command, InvalidArgumentError } from 'commander'
import { administeredOption } from '../config/config.ts'
import {
  createManagementToken,
  type ListedManagementToken,
  listManagementTokens,
  revokeManagementToken,
} from '../kernel/access/management-tokens.ts'
import { getProject } from '../kernel/access/projects.ts'
import type { ScopeText } from '../kernel/access/token-scope.ts'
import { addToken, type ListedToken, listTokens, revokeToken, rotateToken } from '../kernel/access/tokens.ts'
import { noteProject, noteSubjects } from '../kernel/audit/audited.ts'
import { wolkeBase } from '../kernel/contract/bases.ts'
import type { Database, Transaction } from '../kernel/data/db.ts'
import { ApiError } from '../kernel/errors.ts'
import { parseId } from '../kernel/ids.ts'
import { timestamp } from '../kernel/process/clock.ts'
import { readScope } from '../management/scopes.ts'
import { expiryLike, readExpiry } from '../management/tokens.ts'
import type { Administer, AdministerOptions } from './administer.ts'
import { CommandFailure } from './failure.ts'
import { jsonOption, type ListOptions, type Print, printList } from './output.ts'
import { checkName, projectNamed } from './project.ts'

interface CreateOptions extends AdministerOptions {
  readonly project?: string
  readonly management?: boolean
  readonly readOnly?: boolean
  readonly name: string
  readonly expires?: string
  readonly families?: readonly string[]
  readonly verbs?: readonly string[]
  readonly labelSelector?: string
}

const listIn = (text: string) => text.split(',').map((piece) => piece.trim())

export function tokenCommand(administer: Administer): Command {
  const command = new Command('token').description('create, list, rotate and revoke API tokens')
  command.addCommand(createCommand(administer))
  command
    .command('list')
    .description(
      'list tokens: ID, Project, name, rights, last four characters, creation, last use, expiry, scope; management tokens',
    )
    .addOption(administeredOption())
    .addOption(jsonOption())
    .action(({ database, ...options }: AdministerOptions & ListOptions) =>
      administer(database, (db, print) => list(db, print, options)),
    )
  command
    .command('rotate <id>')
    .description('create a second token with the rights of another one and print it; both work until one is revoked')
    .addOption(administeredOption())
    .option('--expires <time>', 'when it stops working; by default it works as long as the other one did')
    .action((id: string, { database, expires }: AdministerOptions & { expires?: string }) =>
      administer(database, (db, print) => rotate(db, print, id, expires)),
    )
  command
    .command('revoke <id-or-token>')
    .description('revoke a token')
    .addOption(administeredOption())
    .action((id: string, { database }: AdministerOptions) => administer(database, (db, print) => revoke(db, print, id)))
  return command
}

function createCommand(administer: Administer): Command {
  return new Command('create')
    .description('create a token and print it; it cannot be shown again')
    .addOption(administeredOption())
    .option('--project <name>', 'the Project that it gives access to')
    .option('--management', `a token of the installation for ${wolkeBase}, instead of one of a Project`)
    .option('--read-only', 'only allow GET requests')
    .option('--name <name>', 'a name that says what the token is for', 'token')
    .option('--expires <time>', 'when it stops working, such as 2030-01-31T00:00:00Z, or a day, at whose end it does')
    .option('--families <names>', 'only these families, such as servers,networks', listIn)
    .option('--verbs <verbs>', 'only read, create, update, delete, actions, or commands such as reboot', listIn)
    .option('--label-selector <selector>', 'only resources whose labels match, such as env=test')
    .action((options: CreateOptions) => {
      const scope = checkOptions(options)
      return administer(options.database, (db, print) => create(db, print, options, scope))
    })
}

/** Checks a command line before the database is opened, and returns the scope that it asks for. */
function checkOptions({ project, management, readOnly, name, families, verbs, labelSelector }: CreateOptions) {
  checkName('a token name', name)
  const read = readScope({ families, verbs, label_selector: labelSelector })
  if ('problems' in read) {
    const [{ field, message }] = read.problems as [{ field: string; message: string }]
    throw new CommandFailure(`--${field.replace('scope.', '').replace('_', '-')}: ${message}`, 2)
  }
  if (management && (project !== undefined || readOnly || read.scope))
    throw new CommandFailure('--management goes without --project, --read-only and scopes', 2)
  if (!management && project === undefined) throw new InvalidArgumentError('either --project or --management is needed')
  return read.scope
}

/** The text of a new token. */
interface Made {
  readonly token: string
}

async function create(
  db: Database,
  print: Print,
  { project, management, name, readOnly = false, expires }: CreateOptions,
  scope: ScopeText | null,
): Promise<void> {
  const projectId = management ? undefined : (await projectNamed(db, project!)).id
  const { token } = await db.transact<Made>(async (tx) => {
    const given = { name, expires: expiryIn(expires, tx.now) }
    if (projectId === undefined) return createManagementToken(tx, { ...given, created: timestamp(tx.now) })
    return addToken(tx, { projectId }, { ...given, readOnly, scope })
  })
  print(token)
}

function expiryIn(text: string | undefined, nowMs: number): number | null {
  try {
    return readExpiry(text, nowMs)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new CommandFailure('--expires must be a time to come, such as 2030-01-31T00:00:00Z', 2)
  }
}

const timeOf = (ms: number | null) => (ms === null ? null : timestamp(ms))

function shown({ id, name, created, given, tail, expires, last_used, scope, rotates, ...rest }: ListedToken) {
  const { creator, read_only } = rest
  return {
    ...{ id, name, read_only: read_only === 1, given: given === 1, ends_with: tail, created },
    ...{ created_by: creator?.name ?? null, last_used: timeOf(last_used), expires: timeOf(expires), scope, rotates },
  }
}

async function list(db: Database, print: Print, options: ListOptions): Promise<void> {
  const tokens = (await listTokens(db.query)).map((token) => ({
    ...{ kind: 'project', project: token.project as string | null },
    ...shown(token),
  }))
  const management = (await listManagementTokens(db.query)).map(({ tail, expires, last_used, rotates, ...token }) => ({
    ...{ kind: 'management', project: null, ...token, read_only: false, given: false, ends_with: tail },
    ...{ created_by: null, last_used: timeOf(last_used), expires: timeOf(expires), scope: null, rotates },
  }))
  await printList(print, [...tokens, ...management], options, (token) => [
    ...[token.id, token.project ?? '-', token.name],
    ...[token.kind === 'management' ? 'management' : token.read_only ? 'read-only' : 'read-write'],
    ...[`...${token.ends_with}`, token.created, token.last_used ?? 'unused', token.expires ?? 'never'],
    token.scope ? JSON.stringify(token.scope) : 'everything',
  ])
}

async function rotate(db: Database, print: Print, text: string, expires: string | undefined): Promise<void> {
  const id = parseId(text)
  noteSubjects(id === undefined ? [] : [id])
  const ofProject = (await listTokens(db.query)).find((token) => token.id === id)
  if (ofProject) noteProject({ id: ofProject.project_id, name: ofProject.project })
  const old = ofProject ?? (await listManagementTokens(db.query)).find((token) => token.id === id)
  if (!old) throw noSuchToken()
  const { token } = await db.transact<Made>((tx) => {
    const given = { expires: expires === undefined ? expiryLike(old, tx.now) : expiryIn(expires, tx.now) }
    return ofProject
      ? rotateToken(tx, { projectId: ofProject.project_id }, ofProject, given)
      : rotateManagementToken(tx, old, given)
  })
  print(token)
}

function rotateManagementToken(
  tx: Transaction,
  { id, name }: ListedManagementToken,
  { expires }: { readonly expires: number | null },
): Promise<Made> {
  return createManagementToken(tx, { name, created: timestamp(tx.now), expires, rotates: id })
}

const noSuchToken = () => new CommandFailure('there is no such token')

async function revoke(db: Database, print: Print, idOrToken: string): Promise<void> {
  const id = parseId(idOrToken)
  noteSubjects(id === undefined ? [] : [id])
  await db.transact(async (tx) => {
    const ofProject = await revokeToken(tx, idOrToken)
    if (ofProject) noteProject(await getProject(tx.query, { projectId: ofProject.project_id }), tx)
    const revoked = ofProject ?? (await revokeManagementToken(tx, idOrToken))
    if (!revoked) throw noSuchToken()
    noteSubjects([revoked.id], tx)
  })
  print('Token revoked')
}
