/** Measures requests on PostgreSQL, whose server runs on the same machine and waits for its disk. */
import { createProject } from '../src/kernel/access/projects.ts'
import { createToken } from '../src/kernel/access/tokens.ts'
import { openDatabase } from '../src/kernel/data/open.ts'
import { createDatabase, startPostgres } from '../test/kit/database/postgres.ts'
import { call, forAll } from './client.ts'
import type { Load } from './load.ts'
import type { Running, Workshop } from './processes.ts'
import { hold } from './quota.ts'
import { median, type Row } from './report.ts'
import { compareGet, comparePost, connections, firewalls, given } from './requests.ts'
import { type Effort, inTurns } from './rounds.ts'

/**
 * Share of a processor for each of two processes: without it, one process and PostgreSQL would fill a small machine.
 */
const share = 0.3
/** The maximum ratio of the slowest latencies to the median. */
const mostSpread = 4
const created = '2026-11-21T12:00:00Z'

export async function postgres(workshop: Workshop, effort: Effort): Promise<Row[]> {
  const server = await startPostgres({ durable: true })
  workshop.keep(() => server.stop())
  const { url } = await createDatabase(server.url)
  // Processes over one database need the same key.
  const more = ['--key-file', workshop.file('shared.key')]
  const first = await workshop.serve(url, { more })
  const paths = await forAll(
    Array.from({ length: 100 }, (_, i) => `read-${i}`),
    async (name) => {
      const { body } = await call('POST', first.url + firewalls.path, { ...given, name })
      return `${firewalls.path}/${body.firewall.id}`
    },
  )
  const read = await compareGet(workshop, effort, first, paths)
  const write = await comparePost(workshop, effort, first, firewalls)
  const fair = await flooded(workshop, effort, first, url)
  const second = await workshop.serve(url, { more })
  return [
    { name: 'GET firewall by id, PostgreSQL', ...read, bar: barFor(read, 0.5) },
    { name: 'POST firewall, durable, PostgreSQL', ...write, bar: barFor(write, 0.2) },
    fair,
    ...(await together(workshop, effort, [first, second], paths)),
  ]
}

function barFor(
  { ratio, p50Ms, p99Ms }: { ratio: number; p50Ms: number; p99Ms: number },
  least: number,
): Row['bar'] & {} {
  const met = ratio >= least && p99Ms < mostSpread * p50Ms
  return { text: `ratio >= ${least}, p99 < ${mostSpread} p50`, met }
}

/** The slowest creates of one Project while another floods the server with updates of a single row. */
async function flooded(
  workshop: Workshop,
  { rounds, seconds }: Effort,
  { url }: Running,
  database: string,
): Promise<Row> {
  const token = await anotherToken(database)
  const { body } = await call('POST', url + firewalls.path, { ...given, name: 'contended' })
  const [quiet, loud] = [workshop.generator(), workshop.generator()]
  const contended = `${firewalls.path}/${body.firewall.id}/actions/set_rules`
  const flood = {
    method: 'POST',
    url: url + contended,
    connections,
    body: JSON.stringify({ rules: given.rules }),
  } as const
  const job = { method: 'POST', url: url + firewalls.path, connections: 2, seconds, token } as const
  const slowest = async () => (await quiet({ ...job, body: JSON.stringify({ ...given, name: 'other-{n}' }) })).p99Ms
  await slowest()
  const compared = await inTurns(rounds, {
    async wolke() {
      const [p99] = await Promise.all([slowest(), loud({ ...flood, seconds })])
      return p99
    },
    bare: slowest,
  })
  const bar = { text: 'ratio <= 1.5', met: compared.ratio <= 1.5 }
  const note = `${connections} connections of another Project set the rules of one firewall; bare: they rest`
  return { name: "p99 of a Project's POST in a flood, PostgreSQL", unit: 'ms', ...compared, bar, note }
}

async function anotherToken(database: string): Promise<string> {
  const db = await openDatabase({ engine: 'postgres', url: database }, { clock: { now: () => Date.parse(created) } })
  try {
    return await db.transact(async (tx) => {
      const project = await createProject(tx, 'other', created)
      return createToken(tx, { projectId: project.id, name: 'other', readOnly: false, created })
    })
  } finally {
    await db.close()
  }
}

/** Compares two processes over one database with a single one, each limited to the same share of a processor. */
async function together(
  workshop: Workshop,
  { rounds, seconds }: Effort,
  processes: readonly Running[],
  paths: readonly string[],
): Promise<Row[]> {
  const held = processes.map(({ pid, stop }) => {
    const letGo = hold(pid, share)
    if (letGo) workshop.keep(async () => stop().then(letGo))
    return letGo !== undefined
  })
  const note = held.every(Boolean)
    ? `each held to ${share} of a processor; bare: one process`
    : 'not held to a part of the processors, which one process and its server may fill; bare: one process'
  const generators = processes.map(() => workshop.generator())
  const measure = async (
    name: string,
    job: (url: string) => Pick<Parameters<(typeof generators)[0]>[0], 'method' | 'url' | 'paths' | 'body'>,
  ): Promise<Row> => {
    const loads: Load[][] = []
    const run = async (some: readonly Running[]) => {
      const each = connections / some.length
      const found = await Promise.all(
        some.map(({ url }, i) => generators[i]!({ ...job(url), connections: each, seconds })),
      )
      loads.push(found)
      return found.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0)
    }
    await run(processes)
    const compared = await inTurns(rounds, { wolke: () => run(processes), bare: () => run(processes.slice(0, 1)) })
    const ofTwo = loads.filter((found) => found.length === 2).flat()
    const bar = { text: 'ratio > 1', met: compared.ratio > 1 }
    const middle = (pick: (load: Load) => number) => median(ofTwo.map(pick))
    const spread = { p50Ms: middle(({ p50Ms }) => p50Ms), p99Ms: middle(({ p99Ms }) => p99Ms) }
    return { name, unit: 'req/s', ...compared, ...spread, bar, note }
  }
  const body = JSON.stringify({ ...given, name: 'both-{n}' })
  return [
    await measure('GET firewall, two processes, PostgreSQL', (url) => ({ method: 'GET', url, paths })),
    await measure('POST firewall, two processes, PostgreSQL', (url) => ({
      method: 'POST',
      url: url + firewalls.path,
      body,
    })),
  ]
}
