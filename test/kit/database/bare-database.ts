/** Opens databases without a server for tests of the kernel, on SQLite and PostgreSQL alike. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, describe, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { createProject } from '../../../src/kernel/access/projects.ts'
import type { Database } from '../../../src/kernel/data/db.ts'
import type { DatabaseUrl } from '../../../src/kernel/data/dialect.ts'
import { openDatabase } from '../../../src/kernel/data/open.ts'
import type { ProjectScope } from '../../../src/kernel/scope.ts'
import { type EngineName, engines, freshDatabase, type TestClock, testClock } from '../harness.ts'
import { bringUp } from './bring-up.ts'

export interface BareDatabase {
  readonly url: DatabaseUrl
  readonly db: Database
  readonly clock: TestClock
  readonly scope: ProjectScope
  /** Opens another handle on the same data, like another process (not for SQLite in memory). */
  another(connections?: number): Promise<Database>
  /** Registers a clean-up that runs after the test, before the database is closed. */
  later(cleanUp: () => Promise<unknown>): void
}

export interface BareOptions {
  /** Puts SQLite into a file instead of memory. */
  readonly file?: boolean
}

export type OpenBare = (options?: BareOptions) => Promise<BareDatabase>

/**
 * Declares the same tests for each database, or for those in `on`; everything that a test opened is closed after it.
 */
export function forEachBareDatabase(
  name: string,
  body: (open: OpenBare, engineName: EngineName) => void,
  on: readonly EngineName[] = engines,
): void {
  for (const engineName of engines.filter((engine) => on.includes(engine))) {
    describe(`${name} on ${engineName}`, () => {
      const opened: (() => Promise<unknown>)[] = []
      const close = async () => {
        for (const stop of opened.splice(0).reverse()) await stop()
      }
      afterEach(close)
      after(close)
      body((options = {}) => openBare(engineName, options, opened), engineName)
    })
  }
}

async function openBare(
  engineName: EngineName,
  { file = false }: BareOptions,
  opened: (() => Promise<unknown>)[],
): Promise<BareDatabase> {
  const url = file && engineName === 'sqlite' ? fileDatabase(opened) : await freshDatabase(engineName, opened as never)
  const clock = testClock()
  const another = async (connections = 8) => {
    const db = await openDatabase(url, { clock, postgres: { connections, patienceMs: 60_000 } })
    opened.push(() => db.close())
    return db
  }
  const db = await another()
  await bringUp(db, url)
  const { id } = await db.transact((tx) => createProject(tx, 'test', '2026-11-21T12:00:00Z'))
  return { url, db, clock, scope: { projectId: id }, another, later: (cleanUp) => void opened.push(cleanUp) }
}

function fileDatabase(opened: (() => Promise<unknown>)[]): DatabaseUrl {
  const dir = mkdtempSync(join(tmpdir(), 'wolke-test-'))
  opened.push(async () => rmSync(dir, { recursive: true }))
  return { engine: 'sqlite', path: join(dir, 'wolke.db') }
}

/** Opens an empty database on SQLite, in memory or at a path, until a test ends. */
export async function openEmpty(context: TestContext, path = ':memory:'): Promise<Database> {
  const db = await openDatabase({ engine: 'sqlite', path }, { clock: { now: Date.now }, databaseNow: () => 5 })
  context.after(() => db.close())
  return db
}

/** Runs a statement in its own transaction. */
export async function run<Row = unknown>(db: Database, statement: string): Promise<Row[]> {
  const { rows } = await db.transact((tx) => sql.raw<Row>(statement).execute(tx.query))
  return rows.map((row) => ({ ...row }))
}

/** Waits until `holds` is true, for at most five minutes, which is enough on a busy machine. */
export async function until(holds: () => boolean | Promise<boolean>, what = String(holds)): Promise<void> {
  const deadline = performance.now() + 300_000
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`)
    await delay(3)
  }
}

/** A point where a test blocks others until it opens. */
export interface Gate {
  /** Resolves once the gate is open. */
  pass(): Promise<void>
  open(): void
  /** The number of arrivals so far. */
  readonly arrived: number
}

export function gate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>()
  let arrived = 0
  return {
    pass() {
      arrived++
      return promise
    },
    open: () => resolve(),
    get arrived() {
      return arrived
    },
  }
}
