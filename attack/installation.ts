/** An installation under attack: its own database, the processes that serve it, and measurements of their cost. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Running, type ServeOptions, token, type Workshop } from '../bench/processes.ts'
import { createProject, findProject } from '../src/kernel/access/projects.ts'
import { createToken } from '../src/kernel/access/tokens.ts'
import { publicBase } from '../src/kernel/contract/bases.ts'
import type { Database } from '../src/kernel/data/db.ts'
import { type DatabaseUrl, parseDatabaseUrl } from '../src/kernel/data/dialect.ts'
import { migrate } from '../src/kernel/data/migrate.ts'
import { openDatabase } from '../src/kernel/data/open.ts'
import { runningClock, timestamp } from '../src/kernel/process/clock.ts'
import { migrations } from '../src/migrations/index.ts'
import { createDatabase, postgresUrl } from '../test/kit/database/postgres.ts'
import { type Client, type EngineName, makeClient, type World } from '../test/kit/harness.ts'

export interface InstallOptions {
  /** The SQLite file, where the choice of disk matters. */
  readonly file?: string
}

/** The tokens of a Project. */
export interface Tenant {
  readonly projectId: number
  readonly readWrite: string
  readonly readOnly: string
}

/** Enough addresses that no request fails for want of one. */
const addresses = ['--address-pool', '10.0.0.0/8,2001:db8::/32']
/** Disables the default listeners, whose ports a server in use on the same machine may need. */
const quiet = ['--metadata-listen', 'off', '--dns-listen', 'off', '--log-level', 'error']

export class Installation {
  readonly url: DatabaseUrl
  /** Project `default`, whose token `bench/processes.ts` has, and another Project. */
  readonly tenants: readonly [Tenant, Tenant]
  readonly #workshop: Workshop
  readonly #text: string
  readonly #keyFile: string

  private constructor(workshop: Workshop, text: string, tenants: readonly [Tenant, Tenant]) {
    this.#workshop = workshop
    this.#text = text
    this.#keyFile = workshop.file('wolke.key')
    this.url = parseDatabaseUrl(text)!
    this.tenants = tenants
  }

  static async make(workshop: Workshop, engine: EngineName, { file }: InstallOptions): Promise<Installation> {
    const text = engine === 'sqlite' ? `sqlite:${file ?? workshop.file('wolke.db')}` : await postgresDatabase(workshop)
    return new Installation(workshop, text, await createTenants(text))
  }

  /** Starts one more process of `wolke serve`. */
  serve({ more = [], ...options }: ServeOptions = {}): Promise<Running> {
    const key = ['--key-file', this.#keyFile]
    return this.#workshop.serve(this.#text, { ...options, more: [...addresses, ...quiet, ...key, ...more] })
  }

  /** Opens the database directly, beside the servers. */
  async open(): Promise<{ db: Database; close(): Promise<void> }> {
    const db = await openDatabase(this.url, { clock: runningClock(undefined), postgres: { connections: 2 } })
    return { db, close: this.#workshop.keep(() => db.close()) }
  }

  /** The size of the database in megabytes. */
  async sizeMb(): Promise<number> {
    if (this.url.engine === 'sqlite') {
      const files = ['', '-wal'].map((end) => (this.url as { path: string }).path + end).filter(existsSync)
      return files.reduce((sum, file) => sum + statSync(file).size, 0) / 2 ** 20
    }
    const { db, close } = await this.open()
    const { rows } = await sql<{ size: number }>`select pg_database_size(current_database()) as size`.execute(db.query)
    await close()
    return Number(rows[0]!.size) / 2 ** 20
  }
}

async function postgresDatabase(workshop: Workshop): Promise<string> {
  const { url, drop } = await createDatabase(await postgresUrl())
  workshop.keep(drop)
  return url
}

async function createTenants(text: string): Promise<[Tenant, Tenant]> {
  const db = await openDatabase(parseDatabaseUrl(text)!, {
    clock: runningClock(undefined),
    postgres: { connections: 1 },
  })
  try {
    await migrate(db, migrations)
    return [await createTenant(db, 'default', token), await createTenant(db, 'other')]
  } finally {
    await db.close()
  }
}

async function createTenant(db: Database, name: string, given?: string): Promise<Tenant> {
  return db.transact(async (tx) => {
    const created = timestamp(tx.now)
    const { id: projectId } = (await findProject(tx.query, name)) ?? (await createProject(tx, name, created))
    const make = (readOnly: boolean, text: { token?: string } = {}) =>
      createToken(tx, { projectId, name: 'attack', readOnly, created, ...text })
    return { projectId, readWrite: await make(false, given ? { token: given } : {}), readOnly: await make(true) }
  })
}

/** An API client for a server with a token. */
export function client(server: Running, { readWrite }: Pick<Tenant, 'readWrite'>): Client {
  return makeClient(`${server.url}${publicBase}`, readWrite)
}

/** Waits until a condition holds. Throws when it does not within `seconds`. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  { seconds = 60, everyMs = 20 } = {},
): Promise<void> {
  const deadline = performance.now() + seconds * 1_000
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited ${seconds} s in vain until ${what}`)
    await delay(everyMs)
  }
}

/** The number of running actions. */
export async function runningActions({ query }: Database): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from action where status = 'running'`.execute(query)
  return Number(rows[0]!.n)
}

/** The commands of the actions that have not ended after two minutes. */
export async function hangingActions(db: Database): Promise<string[]> {
  const deadline = performance.now() + 120_000
  while ((await runningActions(db)) > 0 && performance.now() < deadline) await delay(20)
  const { rows } = await sql<{ command: string }>`select command from action where status = 'running'`.execute(db.query)
  return rows.map(({ command }) => command)
}

/** The part of a test world that prepares sample requests, for a server in another process. */
export function remoteWorld(server: Running, tenant: Tenant, db: Database): World {
  const settle = () => until('every action has ended', async () => (await runningActions(db)) === 0, { everyMs: 5 })
  const parts: Pick<World, 'api' | 'db' | 'settle'> = { api: client(server, tenant), db, settle }
  return parts as World
}

/** The peak memory of a process during `work`, in MB above its memory before. */
export async function memoryGrowth(server: Running, work: () => Promise<unknown>): Promise<number> {
  const before = server.residentMb()
  // Resets the peak resident size that Linux records.
  writeFileSync(`/proc/${server.pid}/clear_refs`, '5')
  await work()
  const status = server.isAlive() ? readFileSync(`/proc/${server.pid}/status`, 'utf8') : ''
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1024 - before
}
