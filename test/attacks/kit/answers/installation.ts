/**
 * An installation that three processes serve, of which one keeps no answers: what it says is the truth. Each has an
 * infrastructure of its own, so one of them carries out the actions of all. On SQLite, which one process serves, the others
 * have the same file open beside it, as commands do.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DatabaseUrl, parseDatabaseUrl } from '../../../../src/kernel/data/dialect.ts'
import type { EngineName } from '../../../kit/engines.ts'
import { type Closers, freshDatabase } from '../../../kit/world.ts'
import type { Orders, ProcessOptions } from './process.ts'

export interface Served {
  readonly url: string
  order<What extends keyof Orders>(what: What, asked: Orders[What]['asked']): Promise<Orders[What]['answer']>
}

export interface Installation {
  /** Those that keep answers, of which the first also carries out actions. */
  readonly keeping: readonly Served[]
  /** The one that reads everything anew. */
  readonly truth: Served
}

/** Starts the processes; `opened` gets what ends them. */
export async function startInstallation(engineName: EngineName, opened: Closers): Promise<Installation> {
  const database = engineName === 'sqlite' ? newFile(opened) : await freshDatabase(engineName, opened)
  // The first one makes the schema.
  const first = await start({ database, keepsAnswers: true, runActions: true }, opened)
  const second = await start({ database, keepsAnswers: true, runActions: false }, opened)
  const truth = await start({ database, keepsAnswers: false, runActions: false }, opened)
  return { keeping: [first, second], truth }
}

function newFile(opened: Closers): DatabaseUrl {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-answers-'))
  opened.push(async () => rmSync(folder, { recursive: true, force: true }))
  return parseDatabaseUrl(`sqlite:${join(folder, 'wolke.db')}`)!
}

async function start(options: ProcessOptions, opened: Closers): Promise<Served> {
  const child = fork(join(import.meta.dirname, 'process.ts'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  opened.push(() => end(child))
  const waiting = new Map<number, (answer: never) => void>()
  child.send(options)
  const url = await said(child)
  child.on('message', ([id, answer]: [number, never]) => {
    waiting.get(id)!(answer)
    waiting.delete(id)
  })
  let orders = 0
  return {
    url,
    order(what, asked) {
      const { promise, resolve } = Promise.withResolvers<never>()
      waiting.set(++orders, resolve)
      child.send([orders, what, asked])
      return promise
    },
  }
}

/** The first message of a process. Throws when it ends before. */
async function said(child: ChildProcess): Promise<string> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`a process of the installation ended with code ${code}`)
  })
  const [message] = await Promise.race([once(child, 'message'), ended])
  return message
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.disconnect()
  await once(child, 'exit')
}
