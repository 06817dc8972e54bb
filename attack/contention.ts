/** One tenant makes everything wait for everything; others must not notice. */
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Running } from '../bench/processes.ts'
import type { Client } from '../test/harness.ts'
import { allow, expect, serverBody, toSelector, toServer } from '../test/resources.ts'
import { type Attack, atLeast, atMost, type Context, type Finding, none } from './attack.ts'
import { client, type Installation, runningActions, until } from './installation.ts'
import { waitsDuring } from './probe.ts'
import type { Random } from './random.ts'

export const contention: Attack = {
  name: 'contention',
  databases: ['sqlite', 'postgres'],
  run: async (context) => [...(await crossing(context)), ...(await imports(context))],
}

/** Below this many milliseconds the machine makes the difference between idle and busy. */
const noiseMs = 10

// ---- Requests that want the same things in different orders --------------------------------------------------------

interface Shared {
  readonly servers: readonly number[]
  readonly firewalls: readonly number[]
  readonly floatingIps: readonly number[]
}

type Request = readonly [method: 'POST' | 'PUT', path: string, body?: object]

/** A request about some of what is shared, any of which may be locked, gone from where it was, or in use. */
function crossingRequest(random: Random, { servers, firewalls, floatingIps }: Shared): Request {
  const server = random.pick(servers)
  const firewall = random.pick(firewalls)
  const ip = random.pick(floatingIps)
  const labels = { group: random.pick(['a', 'b']) }
  const target = random.chance(0.5) ? toServer(server) : toSelector(`group=${labels.group}`)
  const power = random.pick(['poweron', 'poweroff', 'reboot', 'reset', 'shutdown', 'enable_backup', 'disable_backup'])
  return random.pick<Request>([
    ['POST', `/servers/${server}/actions/${power}`],
    ['POST', `/servers/${server}/actions/rebuild`, { image: 'debian-13' }],
    ['PUT', `/servers/${server}`, { labels }],
    ['PUT', `/firewalls/${firewall}`, { labels }],
    ['POST', `/firewalls/${firewall}/actions/set_rules`, { rules: [allow(String(1 + random.below(60_000)))] }],
    ['POST', `/firewalls/${firewall}/actions/apply_to_resources`, { apply_to: [target] }],
    ['POST', `/firewalls/${firewall}/actions/remove_from_resources`, { remove_from: [target] }],
    ['POST', `/floating_ips/${ip}/actions/assign`, { server }],
    ['POST', `/floating_ips/${ip}/actions/unassign`],
    ['PUT', `/floating_ips/${ip}`, { labels }],
  ])
}

async function share(api: Client, settle: () => Promise<void>): Promise<Shared> {
  const some = [0, 1, 2]
  const servers = await Promise.all(
    some.map(async (i) => expect(await api.post('/servers', serverBody(`server-${i}`)), 201).body.server.id),
  )
  const firewalls = await Promise.all(
    some.map(async (i) => expect(await api.post('/firewalls', { name: `firewall-${i}` }), 201).body.firewall.id),
  )
  const floatingIps = await Promise.all(
    some.map(async () => {
      const answer = await api.post('/floating_ips', { type: 'ipv4', home_location: 'hel1' })
      return expect(answer, 201).body.floating_ip.id
    }),
  )
  await settle()
  return { servers, firewalls, floatingIps }
}

async function crossing(context: Context): Promise<Finding[]> {
  const { random, database } = context
  const installation = await context.install()
  const count = database === 'sqlite' ? 1 : 3
  const servers = await Promise.all(Array.from({ length: count }, () => installation.serve()))
  const { db, close } = await installation.open()
  const settle = () => until('every action has ended', async () => (await runningActions(db)) === 0, { seconds: 120 })
  const [own, other] = installation.tenants
  const shared = await share(client(servers[0]!, own), settle)
  const failed: string[] = []
  const clients = 40
  let left = context.size(400, 20_000)
  const work = async (server: Running, numbers: Random) => {
    const api = client(server, own)
    while (left-- > 0) {
      const [method, path, body] = crossingRequest(numbers, shared)
      const { status, text } = await api.request(method, path, body ? { body } : {})
      if (status >= 500) failed.push(`${method} ${path}: ${status} ${text}`)
    }
  }
  const workAll = () => Promise.all(Array.from({ length: clients }, (_, i) => work(servers[i % count]!, random.fork())))
  const { idle, busy } = await besides(context, servers.at(-1)!, other.readWrite, workAll)
  const start = performance.now()
  await settle()
  const settled = (performance.now() - start) / 1_000
  await close()
  await Promise.all(servers.map((server) => server.stop()))
  const p99 = "another one's p99"
  // One process does everything over SQLite, so that others wait in the same line and only its length can be bounded.
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
    none(`${clients} clients on the same servers, firewalls and IPs get no 5xx`, 'answers', failed, context),
    atMost('every action of theirs ends soon after', settled, 's', 60),
    atMost('they cost no other Project an answer', busy.failed, 'failed', 0),
    alone,
    atLeast('another Project writes meanwhile', busy.count, 'writes', context.size(5, 100)),
  ]
}

/** What another Project waits for its writes, before `work` and during it. */
async function besides(context: Context, server: Running, token: string, work: () => Promise<unknown>) {
  const { workshop } = context
  const tenant = { token, path: '/v1/firewalls', body: { name: 'f-{n}' }, everyMs: 20 }
  const idle = await waitsDuring(workshop, server, tenant, () => delay(context.size(500, 5_000)))
  return { idle, busy: await waitsDuring(workshop, server, tenant, work) }
}

/** What PostgreSQL counted; its processes tell of it when they end, so that no server may run any more. */
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

/** A zone file of as many records as a zone may have; `seed` makes it another one. */
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
  const tenant = { token: other.readWrite, path: '/v1/firewalls' }
  const statuses = new Map<number, number>()
  const busy = await waitsDuring(workshop, server, tenant, async () => {
    await Promise.all(
      ids.map(async (id, i) => {
        // What is refused for being too much at once may be sent again.
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
