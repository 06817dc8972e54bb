/** The gauges of what all families share: actions, the database, mail, sessions, background jobs, hosts and the process. */
import { statfs } from 'node:fs/promises'
import { countOpen, oldestOpen } from '../kernel/actions/open.ts'
import { databaseSize, type Health, logBytes } from '../kernel/data/health.ts'
import { schemaOf } from '../kernel/data/migrate.ts'
import { openMail } from '../kernel/mail/deliveries.ts'
import { defineGauges, type GaugeGroup, type Reading } from '../kernel/process/gauges.ts'
import type { Jobs } from '../kernel/process/jobs.ts'
import type { Backlog } from '../kernel/queue/leases.ts'
import { openPersonMail } from '../people/mail/mail-store.ts'
import { countSessions } from '../people/sessions/session-store.ts'
import type { FamilyWorld } from '../platform.ts'
import { version } from '../version.ts'

/** A cluster of hosts, as far as it is asked which of them are up. */
export interface WatchedCluster {
  readonly name: string
  /** Errors: that of hosts that do not answer. */
  members(): Promise<readonly { readonly name: string; readonly isUp: boolean }[]>
}

/** A directory whose file system may fill up. */
export interface WatchedPlace {
  /** The name of its owner, such as `database`. */
  readonly name: string
  readonly path: string
}

/** What all gauges are read from. */
export interface World extends FamilyWorld {
  readonly engine: { readonly underWay: number }
  readonly jobs: Pick<Jobs, 'runs'>
  readonly clusters: readonly WatchedCluster[]
  readonly places: readonly WatchedPlace[]
  health(): Promise<Health>
}

const ageOf = (since: string | null | undefined, nowMs: number) =>
  since == null ? 0 : Math.max(0, (nowMs - Date.parse(since)) / 1_000)

const flag = (is: boolean) => (is ? 1 : 0)

const actions = defineGauges(
  'actions',
  {
    wolke_actions_open: {
      help: 'Actions that have not ended, by command and by whether a worker has them, they pause, or they wait.',
      labels: ['command', 'state'],
    },
    wolke_actions_waiting: {
      help: 'Actions that could run, as far as nothing is before them, and that no worker has.',
    },
    wolke_action_oldest_age_seconds: { help: 'Time since the start of the oldest action that has not ended.' },
    wolke_actions_in_progress: { help: 'Actions that this process works on.' },
  },
  async ({ platform: { db, clock }, engine }: World) => {
    const open = await countOpen(db)
    const waiting = open.filter(({ state }) => state === 'waiting').reduce((sum, { actions }) => sum + actions, 0)
    return {
      wolke_actions_open: open.map(({ command, state, actions }) => ({ labels: { command, state }, value: actions })),
      wolke_actions_waiting: [{ value: waiting }],
      wolke_action_oldest_age_seconds: [{ value: ageOf(await oldestOpen(db), clock.now()) }],
      wolke_actions_in_progress: [{ value: engine.underWay }],
    }
  },
)

const mail = defineGauges(
  'mail',
  {
    wolke_mail_waiting: {
      help: 'Mail that has not been sent yet, to owners of Projects and to people.',
      labels: ['to'],
    },
    wolke_mail_oldest_age_seconds: { help: 'Time for which the oldest of it waits.', labels: ['to'] },
  },
  async ({ platform: { db, clock } }: World) => {
    const queues: [to: string, backlog: Backlog][] = [
      ['owner', await openMail(db.query)],
      ['person', await openPersonMail(db.query)],
    ]
    return {
      wolke_mail_waiting: queues.map(([to, { waiting }]) => ({ labels: { to }, value: waiting })),
      wolke_mail_oldest_age_seconds: queues.map(([to, { oldest }]) => {
        return { labels: { to }, value: ageOf(oldest, clock.now()) }
      }),
    }
  },
)

const sessions = defineGauges(
  'sessions',
  { wolke_sessions: { help: 'Sessions of the console, of people and of API tokens.', labels: ['of'] } },
  async ({ platform: { db, clock } }: World) => {
    const { all, ofTokens } = await countSessions(db.query, clock.now())
    const counts = { person: all - ofTokens, token: ofTokens }
    return { wolke_sessions: Object.entries(counts).map(([of, value]) => ({ labels: { of }, value })) }
  },
)

const database = defineGauges(
  'database',
  {
    wolke_database_size_bytes: { help: 'Size of the data in the database.' },
    wolke_database_log_bytes: { help: 'Size of the log beside the file of SQLite (WAL).' },
    wolke_database_migrations: { help: 'Schema migrations that the database has.' },
  },
  async ({ platform: { db } }: World) => {
    const log = await logBytes(db)
    return {
      wolke_database_size_bytes: [{ value: (await databaseSize(db)).bytes }],
      wolke_database_log_bytes: log === undefined ? [] : [{ value: log }],
      wolke_database_migrations: [{ value: (await schemaOf(db.query)).migrations }],
    }
  },
)

const pool = defineGauges(
  'pool',
  {
    wolke_database_connections: { help: 'Connections of this process to PostgreSQL, by state.', labels: ['state'] },
    wolke_database_connections_max: { help: 'Connections to PostgreSQL that this process opens at most.' },
    wolke_database_connections_awaited: { help: 'Reads and transactions that wait for a connection.' },
  },
  async ({ platform: { db } }: World) => {
    const state = db.pool?.()
    const counts = state ? { idle: state.idle, used: state.open - state.idle } : {}
    return {
      wolke_database_connections: Object.entries(counts).map(([name, value]) => ({ labels: { state: name }, value })),
      wolke_database_connections_max: state ? [{ value: state.most }] : [],
      wolke_database_connections_awaited: state ? [{ value: state.waiting }] : [],
    }
  },
)

const health = defineGauges(
  'health',
  {
    wolke_database_healthy: {
      help: '1 where the database can be read, can be written, and is not damaged (intact).',
      labels: ['check'],
    },
  },
  async (world: World) => {
    const { reads, writes, database } = await world.health()
    const checks = { reads: reads === 'ok', writes: writes === 'ok', intact: database === 'ok' }
    return {
      wolke_database_healthy: Object.entries(checks).map(([check, is]) => ({ labels: { check }, value: flag(is) })),
    }
  },
)

const jobs = defineGauges(
  'jobs',
  {
    wolke_job_failing: { help: '1 for a background job that failed when it last ran.', labels: ['task'] },
    wolke_job_last_run_timestamp_seconds: { help: 'When a background job last ran.', labels: ['task'] },
    wolke_job_last_run_duration_seconds: { help: 'How long a background job took when it last ran.', labels: ['task'] },
  },
  async (world: World) => {
    const runs = world.jobs.runs().flatMap(({ name: task, last }) => (last ? [{ labels: { task }, last }] : []))
    return {
      wolke_job_failing: runs.map(({ labels, last }) => ({ labels, value: flag(last.hasFailed) })),
      wolke_job_last_run_timestamp_seconds: runs.map(({ labels, last }) => ({ labels, value: last.startedAt / 1_000 })),
      wolke_job_last_run_duration_seconds: runs.map(({ labels, last }) => ({ labels, value: last.tookMs / 1_000 })),
    }
  },
)

const hosts = defineGauges(
  'hosts',
  {
    wolke_cluster_up: { help: '1 for a cluster of hosts that answers.', labels: ['cluster'] },
    wolke_host_up: { help: '1 for a host that is online, as its cluster says.', labels: ['cluster', 'host'] },
  },
  async ({ clusters }: World) => {
    const asked = clusters.map(async ({ name: cluster, members }) => ({ cluster, found: await members().catch(away) }))
    const answers = await Promise.all(asked)
    return {
      wolke_cluster_up: answers.map(({ cluster, found }) => ({
        labels: { cluster },
        value: flag(found !== undefined),
      })),
      wolke_host_up: answers.flatMap(({ cluster, found = [] }) =>
        found.map(({ name: host, isUp }) => ({ labels: { cluster, host }, value: flag(isUp) })),
      ),
    }
  },
)

/** A cluster that does not answer is what the gauge tells. */
const away = () => undefined

const places = defineGauges(
  'places',
  {
    wolke_filesystem_bytes: {
      help: 'Size of the file system of a directory, and what of it is free.',
      labels: ['place', 'state'],
    },
  },
  async (world: World) => {
    const found = await Promise.all(world.places.map(async ({ name, path }) => ({ name, stats: await statfs(path) })))
    return {
      wolke_filesystem_bytes: found.flatMap(({ name: place, stats }): Reading[] => [
        { labels: { place, state: 'size' }, value: stats.blocks * stats.bsize },
        { labels: { place, state: 'free' }, value: stats.bavail * stats.bsize },
      ]),
    }
  },
)

const build = defineGauges(
  'build',
  {
    wolke_build_info: {
      help: '1, with the version of Wolke, the runtime, the database and the last schema migration.',
      labels: ['version', 'node', 'database', 'schema'],
    },
  },
  async ({ platform: { db } }: World) => {
    const labels = {
      version,
      node: process.versions.node,
      database: db.dialect.title,
      schema: (await schemaOf(db.query)).last,
    }
    return { wolke_build_info: [{ labels, value: 1 }] }
  },
)

/** Members in the order in which they are begun. */
export const commonGauges: readonly GaugeGroup<World>[] = [
  health,
  pool,
  jobs,
  places,
  hosts,
  build,
  actions,
  mail,
  sessions,
  database,
]
