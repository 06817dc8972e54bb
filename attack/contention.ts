/** One tenant causes maximum contention; other tenants must not notice. */
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Running } from '../bench/processes.ts'
import { publicBase } from '../src/kernel/contract/bases.ts'
import type { ProjectId } from '../src/kernel/scope.ts'
import { contention as fightOver } from '../test/attacks/kit/contention.ts'
import { coverServers } from '../test/kit/database/covered-servers.ts'
import { expect } from '../test/kit/resources.ts'
import { type Attack, atLeast, atMost, type Context, type Finding, none } from './attack.ts'
import { client, type Installation, runningActions, until } from './installation.ts'
import { waitsDuring } from './probe.ts'

export const contention: Attack = {
  name: 'contention',
  databases: ['sqlite', 'postgres'],
  async run(context) {
    const findings: Finding[] = []
    for (const part of [crossing, imports, longValues, reads]) findings.push(...(await part(context)))
    return findings
  },
}

/** Below this many milliseconds, noise of the machine outweighs the difference between idle and busy. */
const noiseMs = 10

// ---- Requests for the same few resources ---------------------------------------------------------------------------

async function crossing(context: Context): Promise<Finding[]> {
  const { random, database } = context
  const installation = await context.install()
  const count = database === 'sqlite' ? 1 : 3
  const servers = await Promise.all(Array.from({ length: count }, () => installation.serve()))
  const [own, other] = installation.tenants
  const clients = 40
  const requests = context.size(400, 20_000)
  const fight = {
    urls: servers.map(({ url }) => `${url}${publicBase}`),
    token: own.readWrite,
    seed: random.below(2 ** 20),
  }
  let failed: readonly string[] = []
  const { idle, busy } = await besides(context, servers.at(-1)!, other.readWrite, async () => {
    const figures = await fightOver({ ...fight, requests, clients })
    failed = figures.failures
    context.log(`${Math.round(figures.perSecond)} requests/s: ${JSON.stringify(figures.answers)}`)
  })
  const { db, close } = await installation.open()
  const start = performance.now()
  await until('every action has ended', async () => (await runningActions(db)) === 0, { seconds: 120 })
  const settled = (performance.now() - start) / 1_000
  await close()
  await Promise.all(servers.map((server) => server.stop()))
  const p99 = "another one's p99"
  // On SQLite one process does everything, so other Projects share its queue, and only their waiting time is bounded.
  const alone =
    database === 'sqlite'
      ? atMost(`they leave other Projects alone: ${p99} stays low`, busy.p99, 'ms', 60)
      : atMost(
          `they leave other Projects alone: ${p99} at most doubles`,
          busy.p99,
          'ms',
          Math.max(noiseMs, idle.p99 * 2),
        )
  return [
    ...(database === 'postgres' ? [await deadlocks(installation, context)] : []),
    none(`${clients} clients that want the same few resources get no 5xx`, 'answers', failed, context),
    atMost('every action of theirs ends soon after', settled, 's', 60),
    atMost('they cost no other Project an answer', busy.failed, 'failed', 0),
    alone,
    atLeast('another Project writes meanwhile', busy.count, 'writes', context.size(5, 100)),
  ]
}

/** The write latency of another Project before `work` and during it. */
async function besides(context: Context, server: Running, token: string, work: () => Promise<unknown>) {
  const { workshop } = context
  const tenant = { token, path: `${publicBase}/firewalls`, body: { name: 'f-{n}' }, everyMs: 20 }
  const idle = await waitsDuring(workshop, server, tenant, () => delay(context.size(500, 5_000)))
  return { idle, busy: await waitsDuring(workshop, server, tenant, work) }
}

/** Deadlocks counted by PostgreSQL. Its processes report them when they end, so no server may run any more. */
async function deadlocks(installation: Installation, context: Context): Promise<Finding> {
  const { db, close } = await installation.open()
  const { rows } = await sql<{ deadlocks: number }>`
    select deadlocks from pg_stat_database where datname = current_database()
  `.execute(db.query)
  await close()
  const happened = Array.from({ length: Number(rows[0]!.deadlocks) }, (_, i) => `deadlock ${i + 1}`)
  return none('what runs on the same resources never deadlocks', 'deadlocks', happened, context)
}

// ---- Heavy writes --------------------------------------------------------------------------------------------------

const records = 20_000

/** A zone file with the maximum number of records; `seed` varies the content. */
function zonefile(seed: number): string {
  const lines = ['$TTL 3600', '@ SOA ns1 hostmaster 1 2 3 4 5', ...[1, 2, 3].map((n) => `@ NS ns${n}.wolke.example.`)]
  for (let i = 0; i < records - 10; i++) lines.push(`h${i} A 10.${seed & 255}.${i >> 8}.${i & 255}`)
  return lines.join('\n')
}

async function imports(context: Context): Promise<Finding[]> {
  const { workshop } = context
  const installation = await context.install()
  const server = await installation.serve()
  const [own, other] = installation.tenants
  const api = client(server, own)
  const count = context.size(4, 64)
  const ids: number[] = []
  for (let i = 0; i < count; i++) {
    ids.push(expect(await api.post('/zones', { name: `zone-${i}.example`, mode: 'primary' }), 201).body.zone.id)
  }
  const bodies = ids.map((_, i) => JSON.stringify({ zonefile: zonefile(i) }))
  const failed: string[] = []
  const tenant = { token: other.readWrite, path: `${publicBase}/firewalls` }
  const statuses = new Map<number, number>()
  const busy = await waitsDuring(workshop, server, tenant, async () => {
    await Promise.all(
      ids.map(async (id, i) => {
        // Imports refused because too many run at once may be retried.
        for (let attempt = 0; attempt < 200; attempt++) {
          const { status, text } = await api.request('POST', `/zones/${id}/actions/import_zonefile`, {
            body: bodies[i],
          })
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          if (status < 300) return
          if (status >= 500) failed.push(`${status} ${text}`)
          if (status !== 429 && status !== 503) return void failed.push(`${status} ${text}`)
          await delay(100)
        }
      }),
    )
  })
  context.log(`imports were answered ${JSON.stringify([...statuses])}`)
  await server.stop()
  const what = `${count} zone imports of ${records} records at once`
  return [
    none(`${what} are all done, without a 5xx`, 'failed', failed, context),
    atMost(`${what} cost no other Project an answer`, busy.failed, 'failed', 0),
    atMost(`${what}: another Project's p99`, busy.p99, 'ms', 60),
  ]
}

// ---- Long values ---------------------------------------------------------------------------------------------------

const longBytes = 2_000_000
const clientsOfOne = 4

const filled = (unit: string) => unit.repeat(longBytes / unit.length)

/** Records, each with one value that no name server could send: escapes, lists of addresses and protocols, plain text. */
const longRecords = [
  `TXT "${filled('\\065')}"`,
  `CAA 0 issue "${filled('\\065')}"`,
  `HTTPS 1 . alpn=${filled('h2,')}h2`,
  `HTTPS 1 . ipv4hint=${filled('192.0.2.1,')}192.0.2.1`,
  `SVCB 1 . ipv6hint=${filled('2001:db8::1,')}2001:db8::1`,
  `TLSA 3 1 1 ${filled('ab')}`,
  `TXT x${filled('""')}`,
]

/** Bodies of which one text is everything: a zone file with a long record, and a key that no field has. */
const longBodies = [
  ...longRecords.map((record) => JSON.stringify({ zonefile: `a ${record}` })),
  `{"zonefile":"${filled('\\u0041')}"}`,
  `{"${filled('~/')}":1}`,
]

async function longValues(context: Context): Promise<Finding[]> {
  const { workshop } = context
  const installation = await context.install()
  const server = await installation.serve()
  const [own, other] = installation.tenants
  const api = client(server, own)
  const { id } = expect(await api.post('/zones', { name: 'long.example', mode: 'primary' }), 201).body.zone
  const wrong: string[] = []
  const send = async (at: number) => {
    for (let count = 0; count < context.size(longBodies.length, 10 * longBodies.length); count++) {
      const body = longBodies[(at + count) % longBodies.length]!
      const { status, text } = await api.request('POST', `/zones/${id}/actions/import_zonefile`, { body })
      if (status !== 400 && status !== 422) wrong.push(`${status} ${text.slice(0, 200)}`)
    }
  }
  const tenant = { token: other.readWrite, path: `${publicBase}/firewalls` }
  const busy = await waitsDuring(workshop, server, tenant, () =>
    Promise.all(Array.from({ length: clientsOfOne }, (_, at) => send(at))),
  )
  await server.stop()
  const what = `${clientsOfOne} clients of one tenant that send values of 2 MB`
  return [
    none(`${what} are refused by the field`, 'other answers', wrong, context),
    atMost(`${what} cost no other Project an answer`, busy.failed, 'failed', 0),
    atMost(`${what}: another Project's p99`, busy.p99, 'ms', 60),
  ]
}

// ---- Large reads ---------------------------------------------------------------------------------------------------

const readers = 16

/** Many clients of one Project list firewalls that cover a thousand servers each. */
async function reads(context: Context): Promise<Finding[]> {
  const { workshop } = context
  const installation = await context.install()
  const [own, other] = installation.tenants
  const { db, close } = await installation.open()
  const scope = { projectId: own.projectId as ProjectId }
  await db.transact((tx) => coverServers(tx, scope, { count: 25, servers: 1_000 }))
  await close()
  const server = await installation.serve()
  const { id } = expect(await client(server, other).post('/firewalls', { name: 'small' }), 201).body.firewall
  const tenant = { token: other.readWrite, path: `${publicBase}/firewalls/${id}` }
  const idle = await waitsDuring(workshop, server, tenant, () => delay(context.size(2_000, 5_000)))
  const wanted = context.size(32, 320)
  const failed: string[] = []
  let asked = 0
  const headers = { authorization: `Bearer ${own.readWrite}` }
  const busy = await waitsDuring(workshop, server, tenant, async () => {
    const read = async () => {
      while (asked++ < wanted) {
        const answer = await fetch(`${server.url}${publicBase}/firewalls`, { headers })
        const { byteLength } = await answer.arrayBuffer()
        if (answer.status !== 200 || byteLength < 25 * 1_000) failed.push(`${answer.status}, ${byteLength} bytes`)
      }
    }
    await Promise.all(Array.from({ length: readers }, read))
  })
  await server.stop()
  const what = `${readers} clients that list firewalls of 25,000 servers`
  return [
    none(`${what} get them all`, 'failed', failed, context),
    atMost(`${what} cost no other Project an answer`, busy.failed, 'failed', 0),
    atMost(
      `${what}: another Project's p99 is at most three times its own`,
      busy.p99,
      'ms',
      Math.max(noiseMs, idle.p99 * 3),
    ),
  ]
}
