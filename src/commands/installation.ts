/** Creates what an installation needs before it serves: address pools, Project default and a token for it. */
import type { Config } from '../config/config.ts'
import { definePools } from '../families/addresses/store.ts'
import { createProject, findProject, listProjects } from '../kernel/access/projects.ts'
import { createToken, giveToken, TokenTaken } from '../kernel/access/tokens.ts'
import { recordEvent } from '../kernel/audit/entries.ts'
import type { Database, Transaction } from '../kernel/data/db.ts'
import { changeOwner } from '../kernel/mail/outbox.ts'
import { timestamp } from '../kernel/process/clock.ts'
import { CommandFailure } from './failure.ts'
import { commandLine } from './noted.ts'

/** Creates what a first start needs and applies what the options set. Returns the token of Project default if it is new. */
export async function prepareInstallation(db: Database, config: Config): Promise<string | undefined> {
  const token = await db.transact(async (tx) => {
    await definePools(tx, config.addressPool)
    const token = await prepareDefault(tx, config)
    const project = config.ownerEmail === undefined ? undefined : await findProject(tx.query, 'default')
    if (project) await changeOwner(tx, { projectId: project.id }, config.ownerEmail!)
    return token
  })
  // The lock of a Project must be taken before the locks of the transaction above (kernel/data/locks.ts).
  if (config.token !== undefined) await replaceToken(db, config.token)
  return token
}

/** Returns the token of Project default when this start makes the Project. */
async function prepareDefault(tx: Transaction, { token }: Config): Promise<string | undefined> {
  const created = timestamp(tx.now)
  const isFirst = (await listProjects(tx.query)).length === 0
  if (!isFirst && (token === undefined || (await findProject(tx.query, 'default')))) return undefined
  const { id: projectId } = await createProject(tx, 'default', created)
  const text = token ?? (await createToken(tx, { projectId, name: 'default', readOnly: false, created }))
  const event = { actor: commandLine(), projectId, operation: 'wolke serve', family: 'projects', subjects: [projectId] }
  await recordEvent(tx, event)
  return isFirst ? text : undefined
}

async function replaceToken(db: Database, token: string): Promise<void> {
  try {
    await db.transact(async (tx) => {
      const project = await findProject(tx.query, 'default')
      if (!project) throw new CommandFailure('Project default was deleted while this server started; start it again')
      const projectId = project.id
      if (!(await giveToken(tx, { projectId }, token, timestamp(tx.now)))) return
      await recordEvent(tx, { actor: commandLine(), projectId, operation: 'wolke serve --token', family: 'tokens' })
    })
  } catch (error) {
    if (error instanceof TokenTaken) throw new CommandFailure(`--token: ${error.message}; use another one`)
    throw error
  }
}
