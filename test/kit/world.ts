/** Installations for tests: the real server, over a real database, with Projects, tokens and people. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import { type App, type AppOptions, buildApp } from '../../src/app.ts'
import { builtIn } from '../../src/catalogue/built-in.ts'
import { type Catalogue, openCatalogue } from '../../src/catalogue/catalogue.ts'
import { defaultPools } from '../../src/config/config.ts'
import { keptInMemory } from '../../src/drivers/infrastructure.ts'
import { definePools } from '../../src/families/addresses/store.ts'
import { type Simulation, simulate } from '../../src/families.ts'
import type { Identity } from '../../src/kernel/access/principal.ts'
import { createProject, findProject, type ProjectRow } from '../../src/kernel/access/projects.ts'
import type { Role } from '../../src/kernel/access/roles.ts'
import { createToken } from '../../src/kernel/access/tokens.ts'
import type { Database, Transaction } from '../../src/kernel/data/db.ts'
import { type DatabaseUrl, parseDatabaseUrl } from '../../src/kernel/data/dialect.ts'
import { migrate } from '../../src/kernel/data/migrate.ts'
import { openDatabase } from '../../src/kernel/data/open.ts'
import { type Clock, timestamp } from '../../src/kernel/process/clock.ts'
import type { Faults } from '../../src/kernel/process/faults.ts'
import { openLog } from '../../src/kernel/process/log.ts'
import type { ProjectId } from '../../src/kernel/scope.ts'
import { unlock } from '../../src/kernel/secrets/installation.ts'
import { keyBytes, toKek } from '../../src/kernel/secrets/kek.ts'
import type { Secrets } from '../../src/kernel/secrets/secrets.ts'
import type { LabClock } from '../../src/lab/clock.ts'
import { migrations } from '../../src/migrations/index.ts'
import { bringUp } from './database/bring-up.ts'
import { followWrites } from './database/dump.ts'
import { recordLocks } from './database/lock-recorder.ts'
import { createDatabase, ensureTemplate, postgresUrl } from './database/postgres.ts'
import { watchDatabase } from './database/watched-database.ts'
import { type EngineName, installationChannel } from './engines.ts'
import { type Client, makeClient } from './http/client.ts'
import { holdAgainstContract } from './http/held-to-contract.ts'

/** A clock that moves only when the test moves it. */
export interface TestClock extends Clock {
  /** Moves the clock forward by milliseconds, or to an absolute time. */
  advance(ms: number): void
  set(time: string): void
}

/** The default time of a test's clock. */
export const today = '2026-11-21T12:00:00Z'

export function testClock(start = today): TestClock {
  let now = Date.parse(start)
  return {
    now: () => now,
    advance: (ms) => {
      now += ms
    },
    set: (time) => {
      now = Date.parse(time)
    },
  }
}

/** A clock that only the server's API moves. */
function fixed(lab: LabClock): TestClock {
  const refuse = () => assert.fail('the lab moves its clock')
  return { now: () => lab.now(), advance: refuse, set: refuse }
}

/** The key-encryption key of every installation under test. */
export const testKeyring = { current: toKek(Buffer.alloc(keyBytes, 'test key')) }

export interface WorldOptions {
  /** Among tests that share an installation: one of its own, to change what Projects share or look at all that there is. */
  readonly alone?: true
  readonly clock?: TestClock
  /** Makes it a lab, with this clock. */
  readonly lab?: LabClock
  readonly faults?: Faults
  readonly rateLimit?: number
  /** False leaves actions pending until `world.settle()` or `world.app.engine.start()`. */
  readonly runActions?: boolean
  readonly engine?: AppOptions['engine']
  readonly catalogue?: Catalogue
  readonly limits?: AppOptions['limits']
  readonly settings?: AppOptions['settings']
  readonly publicOrigins?: AppOptions['publicOrigins']
  readonly trustedProxies?: AppOptions['trustedProxies']
  readonly defaultNames?: AppOptions['defaultNames']
  readonly mail?: AppOptions['mail']
  readonly streams?: AppOptions['streams']
  readonly askAgainMs?: number
  readonly people?: AppOptions['people']
  readonly effective?: AppOptions['effective']
  readonly addressPool?: readonly string[]
  /** The database of another world, to act as its second process (PostgreSQL) or to restart it. */
  readonly database?: DatabaseUrl
  readonly simulation?: Simulation
  readonly capabilities?: AppOptions['capabilities']
  readonly infrastructureOf?: AppOptions['infrastructureOf']
  readonly keepsAnswers?: boolean
  /** Replaces drivers of the simulation. */
  readonly drivers?: Partial<AppOptions['drivers']>
  /** Wraps the database of the server. */
  readonly wrapDatabase?: (db: Database) => Database
  /** The log of this world; without it, the world has its own. */
  readonly log?: AppOptions['log']
}

/** The session of a person, which sends these headers until it ends. */
export interface Session {
  readonly headers: { readonly cookie: string; readonly origin: string }
  end(): void
}

/** A running installation with two Projects. */
export interface World {
  readonly engineName: EngineName
  readonly baseUrl: string
  readonly database: DatabaseUrl
  readonly db: Database
  readonly clock: TestClock
  readonly simulation: Simulation
  readonly secrets: Secrets
  readonly app: App
  /** Clients with read-write and read-only tokens of the first Project, a token of another Project, and no token. */
  readonly api: Client
  readonly readOnly: Client
  readonly foreign: Client
  readonly anonymous: Client
  client(token: string | undefined): Client
  /** A client of a person with a role in the first Project, through the door of the console. */
  as(role: Role): Client
  /** Signs such a person in. */
  signIn(role: Role): Session
  /** Runs every runnable action to its end. */
  settle(): Promise<void>
  /** Stops the server; the database stays open for another world. */
  stop(): Promise<void>
}

/** Ends of what a test has opened. */
export type Closers = (() => Promise<void>)[]

/** A running server and what it works with. */
export interface Installation
  extends Pick<
    World,
    'engineName' | 'baseUrl' | 'database' | 'db' | 'clock' | 'simulation' | 'secrets' | 'app' | 'stop'
  > {
  /** Who is signed in, by cookie. */
  readonly identities: Map<string, Identity>
  /** Internal errors, for the next request to throw. */
  readonly failures: Error[]
}

export async function openWorld(engineName: EngineName, options: WorldOptions, opened: Closers): Promise<World> {
  return enter(await install(engineName, options, opened), ['first', 'second'])
}

/** Starts a server. */
export async function install(engineName: EngineName, options: WorldOptions, opened: Closers): Promise<Installation> {
  channel(installationChannel).publish(engineName)
  const database = options.database ?? (await freshDatabase(engineName, opened))
  const { lab } = options
  const clock = lab ? fixed(lab) : (options.clock ?? testClock())
  const disorder: Error[] = []
  const plain = await openDatabase(database, {
    clock,
    postgres: { connections: 8, patienceMs: 60_000 },
    ...(lab ? { databaseNow: () => lab.now() } : {}),
  })
  const recorded = plain.dialect.shared
    ? watchDatabase(plain, () => recordLocks((violation) => disorder.push(violation)))
    : plain
  const db = followWrites(options.wrapDatabase?.(recorded) ?? recorded, database)
  // A change of the schema writes whatever it has to.
  await bringUp(plain, database)
  const simulation = options.simulation ?? simulate({ delayMs: 0, clock })
  const failures: Error[] = []
  const secrets = await unlock(db, testKeyring)
  const identities = new Map<string, Identity>()
  const app = await buildApp({
    db,
    clock,
    ...(lab ? { lab: { clock: lab, infrastructure: keptInMemory(simulation, { delayMs: 0 }), migrations } } : {}),
    log: options.log ?? openLog('silent'),
    catalogue: options.catalogue ?? openCatalogue(builtIn),
    drivers: { ...simulation.drivers, ...options.drivers },
    secrets,
    vendor: 'wolke',
    reverseDomain: 'wolke.example',
    rateLimit: options.rateLimit,
    limits: options.limits ?? {},
    ...(options.settings ? { settings: options.settings } : {}),
    ...(options.publicOrigins ? { publicOrigins: options.publicOrigins } : {}),
    ...(options.trustedProxies ? { trustedProxies: options.trustedProxies } : {}),
    ...(options.defaultNames ? { defaultNames: options.defaultNames } : {}),
    ...(options.capabilities ? { capabilities: options.capabilities } : {}),
    ...(options.infrastructureOf ? { infrastructureOf: options.infrastructureOf } : {}),
    ...(options.mail ? { mail: options.mail } : {}),
    ...(options.streams ? { streams: options.streams } : {}),
    ...(options.askAgainMs ? { askAgainMs: options.askAgainMs } : {}),
    ...(options.people ? { people: options.people } : {}),
    ...(options.keepsAnswers === undefined ? {} : { keepsAnswers: options.keepsAnswers }),
    ...(options.effective ? { effective: options.effective } : {}),
    ...(options.faults ? { faults: options.faults } : {}),
    sessions: {
      find: ({ cookie }) => identities.get(cookie ?? ''),
      findAgain: async (asker) => [...identities.values()].find(({ session }) => session === asker.session),
    },
    observe: (exchange) => holdAgainstContract(exchange, failures),
    engine: { retryMs: 1, pollMs: 50, ...options.engine },
  })
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 })
  if (options.runActions !== false) await app.engine.start()
  await db.transact((tx) => definePools(tx, options.addressPool ?? defaultPools))
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= app.stop().then(async () => {
      await db.close()
      if (disorder[0]) throw disorder[0]
    })
    return stopped
  }
  opened.push(stop)
  return { engineName, baseUrl, database, db, clock, simulation, secrets, app, stop, identities, failures }
}

/** Gives a test Projects with these names in an installation; those that there are already keep theirs. */
export async function enter(installation: Installation, names: readonly [string, string]): Promise<World> {
  const { baseUrl, db, app, identities, failures } = installation
  const tokens = await db.transact((tx) => createTenants(tx, names))
  const client = (token: string | undefined) => makeClient(baseUrl, token, failures)
  return {
    ...installation,
    api: client(tokens.readWrite),
    readOnly: client(tokens.readOnly),
    foreign: client(tokens.foreign),
    anonymous: client(undefined),
    client,
    as: (role) => personWith(role, tokens.project, { baseUrl, identities, failures }),
    signIn: (role) => signIn(role, tokens.project, { baseUrl, identities }),
    settle: () => app.engine.idle(),
  }
}

/** A new database, migrated on PostgreSQL and empty on SQLite; its clean-up is added to `opened`. */
export async function freshDatabase(engineName: EngineName, opened: (() => Promise<void>)[]): Promise<DatabaseUrl> {
  if (engineName === 'sqlite') return { engine: 'sqlite', path: ':memory:' }
  const server = await postgresUrl()
  const template = `wolke_${createHash('sha256').update(JSON.stringify(migrations)).digest('hex').slice(0, 16)}`
  await ensureTemplate(server, template, migrateTemplate)
  const { url, drop } = await createDatabase(server, { template })
  opened.push(drop)
  return parseDatabaseUrl(url)!
}

async function migrateTemplate(url: string): Promise<void> {
  const db = await openDatabase({ engine: 'postgres', url }, { clock: testClock(), postgres: { connections: 1 } })
  try {
    await migrate(db, migrations)
  } finally {
    await db.close()
  }
}

/** Creates the two Projects, or finds those of an earlier world on the same database, and creates tokens. */
async function createTenants(tx: Transaction, names: readonly [string, string]) {
  const created = timestamp(tx.now)
  const [first, second] = [await projectNamed(tx, names[0]), await projectNamed(tx, names[1])]
  const token = (projectId: typeof first.id, readOnly = false) =>
    createToken(tx, { projectId, name: 'test', readOnly, created })
  return {
    project: first.id,
    readWrite: await token(first.id),
    readOnly: await token(first.id, true),
    foreign: await token(second.id),
  }
}

async function projectNamed(tx: Transaction, name: string): Promise<ProjectRow> {
  return (await findProject(tx.query, name)) ?? createProject(tx, name, timestamp(tx.now))
}

/** Signs a person with a role in a Project in, and returns its client. */
function personWith(
  role: Role,
  projectId: ProjectId,
  to: { baseUrl: string; identities: Map<string, Identity>; failures: Error[] },
): Client {
  const { headers } = signIn(role, projectId, to)
  const door = `${headers.origin}/console/api/projects/${projectId}/v1`
  return makeClient(door, undefined, to.failures, { ...headers })
}

let sessions = 0

function signIn(
  role: Role,
  projectId: ProjectId,
  { baseUrl, identities }: { baseUrl: string; identities: Map<string, Identity> },
): Session {
  const id = ++sessions
  const cookie = `session=${id}`
  identities.set(cookie, {
    actor: { kind: 'person', id, name: `${role}@example.com` },
    roles: new Map([[projectId, role]]),
    isOperator: false,
    elevatedUntil: Number.POSITIVE_INFINITY,
    bucket: `person:${id}`,
    session: id,
  })
  return { headers: { cookie, origin: new URL(baseUrl).origin }, end: () => void identities.delete(cookie) }
}
