/** Measures how one Project is affected by another one whose many clients read or change what is large. */

import { firewalls } from '../src/families/firewalls/store.ts'
import { createProject, findProject } from '../src/kernel/access/projects.ts'
import { createToken } from '../src/kernel/access/tokens.ts'
import { publicBase } from '../src/kernel/contract/bases.ts'
import type { Transaction } from '../src/kernel/data/db.ts'
import { parseDatabaseUrl } from '../src/kernel/data/dialect.ts'
import { migrate } from '../src/kernel/data/migrate.ts'
import { openDatabase } from '../src/kernel/data/open.ts'
import type { ProjectScope } from '../src/kernel/scope.ts'
import { migrations } from '../src/migrations/index.ts'
import { coverServers } from '../test/kit/database/covered-servers.ts'
import { createDatabase, startPostgres } from '../test/kit/database/postgres.ts'
import type { Job } from './load.ts'
import type { Running, Workshop } from './processes.ts'
import { median, type Row } from './report.ts'
import { type Effort, inTurns } from './rounds.ts'

const created = '2026-11-21T12:00:00Z'
/** The firewalls, and the servers that each of them covers. A list has 25 of them; clients that change them meet at none. */
const covering = 100
const covered = 1_000
const clients = 16

/** The requests of the neighbour, and those of the 16 clients of another Project meanwhile. */
interface Scene {
  readonly title: string
  /** The clients' requests, in the plural. */
  readonly crowd: string
  readonly probe: Pick<Job, 'method' | 'body'>
  crowdJob(url: string, covering: readonly number[]): Pick<Job, 'url' | 'method' | 'paths' | 'body'>
  /**
   * The most that the neighbour's p99 may be of its own when idle; undefined where the disk, which all wait for,
   * decides.
   */
  readonly mostRatio?: number
}

const labels = '{"labels":{"n":"{n}"}}'
const lists: Scene = {
  title: "a neighbour's GET, beside large lists",
  crowd: 'lists',
  probe: { method: 'GET' },
  crowdJob: (url) => ({ url: `${url}${publicBase}/firewalls`, method: 'GET' }),
  mostRatio: 3,
}
const changes: Scene = {
  title: "a neighbour's PUT, beside changes of large firewalls",
  crowd: 'changes',
  probe: { method: 'PUT', body: labels },
  crowdJob: (url, covering) => ({
    url,
    method: 'PUT',
    paths: covering.map((id) => `${publicBase}/firewalls/${id}`),
    body: labels,
  }),
}

/**
 * Requests of one Project while 16 clients of another list firewalls that cover 1,000 servers, or change their labels,
 * compared with idle.
 */
export async function besideLargeReads(workshop: Workshop, effort: Effort): Promise<Row[]> {
  const postgres = await startPostgres({ durable: true })
  workshop.keep(() => postgres.stop())
  const { url } = await createDatabase(postgres.url)
  return [
    ...(await besideAll(workshop, effort, 'SQLite', `sqlite:${workshop.file('large-reads.db')}`)),
    ...(await besideAll(workshop, effort, 'PostgreSQL', url)),
  ]
}

async function besideAll(workshop: Workshop, effort: Effort, title: string, database: string): Promise<Row[]> {
  const prepared = await prepare(database)
  const wolke = await workshop.serve(database, { watch: true })
  const load = [workshop.generator(), workshop.generator()] as const
  const rows: Row[] = []
  for (const scene of [lists, changes]) rows.push(await beside(scene, effort, { title, wolke, load, ...prepared }))
  await wolke.stop()
  return rows
}

/** The contents of the Projects in a database. */
interface Prepared {
  readonly quiet: string
  readonly path: string
  readonly coveringIds: readonly number[]
}

type Generator = ReturnType<Workshop['generator']>

interface Place extends Prepared {
  readonly title: string
  readonly wolke: Running
  readonly load: readonly [Generator, Generator]
}

async function beside(scene: Scene, effort: Effort, place: Place): Promise<Row> {
  const { title, wolke, quiet, path, coveringIds } = place
  const { mostRatio } = scene
  // Each of the large lists takes a while, and some must be answered.
  const seconds = Math.max(effort.seconds, 5)
  const [calm, crowd] = place.load
  const times = { idle: [] as number[], loaded: [] as number[] }
  let answers = 0
  let stallMs = 0
  const probe = async (kind: keyof typeof times) => {
    const load = await calm({ url: wolke.url + path, ...scene.probe, token: quiet, connections: 1, seconds })
    times[kind].push(load.p50Ms)
    return load.p99Ms
  }
  await probe('idle')
  const compared = await inTurns(effort.rounds, {
    bare: () => probe('idle'),
    async wolke() {
      let p99 = 0
      stallMs = await wolke.stallDuring(async () => {
        const asking = crowd({ ...scene.crowdJob(wolke.url, coveringIds), connections: clients, seconds })
        p99 = await probe('loaded')
        answers = (await asking).requestsPerSecond
      })
      return p99
    },
  })
  return {
    name: `${scene.title}, ${title}`,
    unit: 'ms',
    ...compared,
    p50Ms: median(times.loaded),
    p99Ms: compared.wolke,
    ...(mostRatio && { bar: { text: `p99 <= ${mostRatio}x idle`, met: compared.ratio <= mostRatio } }),
    note: `${clients} clients, firewalls of ${covered} servers, ${answers.toFixed(0)} ${scene.crowd}/s; idle p50 ${median(times.idle).toFixed(2)} ms; stall ${stallMs.toFixed(1)} ms`,
  }
}

/** A database in which Project `default` has large firewalls, and the neighbour, with its token, a small one. */
async function prepare(database: string): Promise<Prepared> {
  const db = await openDatabase(parseDatabaseUrl(database)!, { clock: { now: () => Date.parse(created) } })
  try {
    await migrate(db, migrations)
    return await db.transact(async (tx) => {
      const coveringIds = await coverServers(tx, await findOrCreate(tx, 'default'), {
        count: covering,
        servers: covered,
      })
      const neighbour = await findOrCreate(tx, 'neighbour')
      const { id } = await firewalls.insert(tx, neighbour, { name: 'small', labels: {}, rules: '[]' })
      const quiet = await createToken(tx, { ...neighbour, name: 'bench', readOnly: false, created })
      return { quiet, path: `${publicBase}/firewalls/${id}`, coveringIds }
    })
  } finally {
    await db.close()
  }
}

async function findOrCreate(tx: Transaction, name: string): Promise<ProjectScope> {
  const { id } = (await findProject(tx.query, name)) ?? (await createProject(tx, name, created))
  return { projectId: id }
}
