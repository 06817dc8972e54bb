/** One process of an installation that several serve: it starts with what it is sent, and ends with its parent. */
import { findProject } from '../../../../src/kernel/access/projects.ts'
import { createToken, revokeToken } from '../../../../src/kernel/access/tokens.ts'
import type { DatabaseUrl } from '../../../../src/kernel/data/dialect.ts'
import { keepNothing } from '../../../../src/kernel/data/kept.ts'
import { scoped } from '../../../../src/kernel/data/scoped.ts'
import { timestamp } from '../../../../src/kernel/process/clock.ts'
import type { ProjectId } from '../../../../src/kernel/scope.ts'
import { type Closers, enter, type Installation, install } from '../../../kit/world.ts'

export interface ProcessOptions {
  readonly database: DatabaseUrl
  readonly keepsAnswers: boolean
  readonly runActions: boolean
}

/** What a process does besides serving; each answers with a value of the same name. */
export interface Orders {
  /** Makes a Project with this name, and answers with a token of it. */
  enter: { readonly asked: string; readonly answer: { readonly project: ProjectId; readonly token: string } }
  /** Makes another token of a Project, as the command line does. */
  token: { readonly asked: ProjectId; readonly answer: string }
  revoke: { readonly asked: string; readonly answer: null }
  /** How many actions of a Project have not ended. */
  running: { readonly asked: ProjectId; readonly answer: number }
  /** Ends the turn in which it reads what was there when that began. */
  turn: { readonly asked: null; readonly answer: null }
  /** The internal errors since it was asked last. */
  failures: { readonly asked: null; readonly answer: readonly string[] }
}

const opened: Closers = []

async function carryOut(installation: Installation, what: keyof Orders, asked: never): Promise<unknown> {
  const { db, failures } = installation
  switch (what) {
    case 'enter': {
      const { api } = await enter(installation, [asked, `beside ${asked}`])
      return { project: (await findProject(db.query, asked))!.id, token: api.token }
    }
    case 'token':
      return db.transact((tx) =>
        createToken(tx, { projectId: asked, name: 'further', readOnly: false, created: timestamp(tx.now) }),
      )
    case 'revoke':
      await db.transact((tx) => revokeToken(tx, asked))
      return null
    case 'running':
      return runningIn(installation, asked)
    case 'turn':
      // Whoever asks in the middle of a turn waits for the end of the next one.
      for (let ends = 0; ends < 2; ends++) await new Promise(setImmediate)
      return null
    case 'failures':
      return failures.splice(0).map(String)
  }
}

async function runningIn({ db }: Installation, projectId: ProjectId): Promise<number> {
  const rows = scoped(db.query, { projectId })
    .selectFrom('action')
    .select((all) => all.fn.countAll().as('count'))
  return Number((await rows.where('status', '=', 'running').executeTakeFirstOrThrow()).count)
}

if (process.send) {
  process.once('message', async ({ database, ...options }: ProcessOptions) => {
    if (!options.keepsAnswers) keepNothing()
    const installation = await install(database.engine, { ...options, database }, opened)
    process.on('message', async ([id, what, asked]: [number, keyof Orders, never]) => {
      const answer = await carryOut(installation, what, asked)
      // Whoever asked may have ended meanwhile.
      if (process.connected) process.send?.([id, answer])
    })
    process.send?.(installation.baseUrl)
  })
  process.on('disconnect', async () => {
    for (const close of opened.splice(0).reverse()) await close()
    // What was started for the parent, and nobody waits for any more, would keep this process.
    process.exit()
  })
}
