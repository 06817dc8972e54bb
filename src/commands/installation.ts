/** Creates what an installation needs before it serves: address pools, Project default and a token for it. */
import type { Config } from '../config/config.ts'
import { definePools } from '../families/addresses/store.ts'
import {
  createDefaultProject,
  defaultProject,
  listProjects,
  lockProject,
  markDefault,
} from '../kernel/access/projects.ts'
import { createToken, giveToken, TokenTaken } from '../kernel/access/tokens.ts'
import { recordEvent } from '../kernel/audit/entries.ts'
import type { Database, Transaction } from '../kernel/data/db.ts'
import { ApiError } from '../kernel/errors.ts'
import { changeOwner } from '../kernel/mail/outbox.ts'
import { timestamp } from '../kernel/process/clock.ts'
import type { ProjectScope } from '../kernel/scope.ts'
import { CommandFailure } from './failure.ts'
import { commandLine } from './noted.ts'

/**
 * Creates what a first start needs and applies what the options set, or nothing of it when the start has to fail. Returns
 * the token of Project default if it is new.
 */
export async function prepareInstallation(db: Database, config: Config): Promise<string | undefined> {
  try {
    return await prepareBeside(db, config)
  } catch (error) {
    if (error instanceof TokenTaken) throw new CommandFailure(`--token: ${error.message}; use another one`)
    throw error
  }
}

/** Another process may make Project default at the same moment: then it is there for this one. */
async function prepareBeside(db: Database, config: Config): Promise<string | undefined> {
  const attempt = () => db.transact((tx) => prepare(tx, config))
  try {
    return await attempt()
  } catch (error) {
    if (error instanceof ApiError && error.code === 'uniqueness_error') return attempt()
    throw error
  }
}

async function prepare(tx: Transaction, config: Config): Promise<string | undefined> {
  const known = await defaultProject(tx.query)
  // Processes that start at the same time with different tokens take turns: the last one wins.
  if (known) await lockProject(tx, { projectId: known.id }, 'update')
  await definePools(tx, config.addressPool)
  const made = known ? undefined : await makeDefault(tx, config)
  const projectId = known?.id ?? made?.projectId
  if (projectId === undefined) return undefined
  await markDefault(tx, { projectId })
  if (config.token !== undefined) await replaceToken(tx, { projectId }, config.token)
  if (config.ownerEmail !== undefined) await changeOwner(tx, { projectId }, config.ownerEmail)
  return made?.token
}

interface Made extends ProjectScope {
  /** Its token when there was no Project before. */
  readonly token: string | undefined
}

/** Makes Project default at the first start, and when a token is given for it after it was deleted. */
async function makeDefault(tx: Transaction, { token }: Config): Promise<Made | undefined> {
  const isFirst = (await listProjects(tx.query)).length === 0
  if (!isFirst && token === undefined) return undefined
  const created = timestamp(tx.now)
  const { id: projectId } = await createDefaultProject(tx, created)
  const text = token ?? (await createToken(tx, { projectId, name: 'default', readOnly: false, created }))
  const event = { actor: commandLine(), projectId, operation: 'wolke serve', family: 'projects', subjects: [projectId] }
  await recordEvent(tx, event)
  return { projectId, token: isFirst ? text : undefined }
}

async function replaceToken(tx: Transaction, scope: ProjectScope, token: string): Promise<void> {
  if (!(await giveToken(tx, scope, token, timestamp(tx.now)))) return
  const { projectId } = scope
  await recordEvent(tx, { actor: commandLine(), projectId, operation: 'wolke serve --token', family: 'tokens' })
}
