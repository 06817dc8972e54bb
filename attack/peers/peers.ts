/** Attacks through peers that a tenant can choose: primaries of secondary zones. */
import { setTimeout as delay } from 'node:timers/promises'
import { publicBase } from '../../src/kernel/contract/bases.ts'
import { type Primary, startPrimary } from '../../test/dns/hostile-primary.ts'
import type { Client } from '../../test/kit/harness.ts'
import { expect } from '../../test/kit/resources.ts'
import { type Attack, atLeast, atMost, type Context, type Finding, none } from '../attack.ts'
import { client, memoryGrowth } from '../installation.ts'
import { type Waits, waitsDuring } from '../probe.ts'
import { type Manner, transferIn } from './manners.ts'

interface Plan {
  readonly manner: Manner
  readonly what: string
  readonly records: number
  readonly zones: number
  /** Set when the transfer would outlast the attack. */
  readonly isEndless?: true
}

const plans = (context: Context): Plan[] => [
  { manner: 'many', what: 'zones of 100,000 records', records: 100_000, zones: context.size(1, 4) },
  {
    manner: 'inflating',
    what: 'zones whose records inflate',
    records: context.size(100_000, 1_000_000),
    zones: context.size(1, 2),
  },
  { manner: 'endless', what: 'zones without an end', records: 0, zones: context.size(1, 8), isEndless: true },
  { manner: 'drip', what: 'zones that drip', records: 0, zones: context.size(2, 40), isEndless: true },
  { manner: 'garbage', what: 'zones of garbage', records: 0, zones: context.size(2, 10) },
]

export const peers: Attack = {
  name: 'peers',
  databases: ['sqlite', 'postgres'],
  async run(context) {
    const findings: Finding[] = []
    for (const plan of plans(context)) findings.push(...(await harm(context, plan)))
    return findings
  },
}

async function harm(context: Context, { manner, what, records, zones, isEndless }: Plan): Promise<Finding[]> {
  const { workshop } = context
  const installation = await context.install()
  const more = ['--dns-listen', '127.0.0.1:0', '--dns-private-primaries', '127.0.0.0/8']
  const server = await installation.serve({ more })
  const [own, other] = installation.tenants
  const hostile = await startPrimary(transferIn(manner, records))
  const stopHostile = workshop.keep(() => hostile.close())
  const honest = await startPrimary(transferIn('honest', 20))
  const stopHonest = workshop.keep(() => honest.close())
  const before = await installation.sizeMb()
  const tenant = { token: other.readWrite, path: `${publicBase}/firewalls` }
  let waits: Waits | undefined
  let served = false
  const grown = await memoryGrowth(server, async () => {
    waits = await waitsDuring(workshop, server, tenant, async () => {
      const api = client(server, own)
      for (let i = 0; i < zones; i++) await secondary(api, `zone-${i}.example`, hostile)
      await Promise.race([overWith(hostile), delay(context.size(5, 40) * (isEndless ? 500 : 1_000))])
      served = await isServed(client(server, other), honest, 30)
    })
  })
  const size = (await installation.sizeMb()) - before
  const alive = server.isAlive() ? [] : ['the process ended']
  context.log(`${what}: ${hostile.asked} connections, ${Math.round(hostile.sent / 2 ** 20)} MB sent`)
  await server.stop()
  await stopHostile()
  await stopHonest()
  const { longest, failed } = waits!
  return [
    atLeast(`${what} are asked for`, hostile.asked, 'connections', 1),
    none(
      `${what} do not end the process, and cost nobody an answer`,
      'failed',
      [...alive, ...missing(failed)],
      context,
    ),
    atMost(`${what} cost little memory`, grown, 'MB', 256),
    atMost(`${what} make the database grow by little`, size, 'MB', 64),
    atMost(`${what} stop nobody: longest wait`, longest, 'ms', 250),
    none(
      `${what} do not keep another Project's zone from coming`,
      'not served',
      served ? [] : ['waited 30 s'],
      context,
    ),
  ]
}

const missing = (count: number) => Array<string>(count).fill('no answer')

async function secondary(api: Client, name: string, { port }: Primary): Promise<number> {
  const primary_nameservers = [{ address: '127.0.0.1', port }]
  return expect(await api.post('/zones', { name, mode: 'secondary', primary_nameservers }), 201).body.zone.id
}

/** Waits until a primary was asked and has no open connections any more. */
async function overWith(primary: Primary): Promise<void> {
  for (let quiet = 0; quiet < 10; ) {
    await delay(200)
    quiet = primary.asked > 0 && primary.open === 0 ? quiet + 1 : 0
  }
}

async function isServed(api: Client, primary: Primary, seconds: number): Promise<boolean> {
  const id = await secondary(api, 'honest.example', primary)
  const deadline = performance.now() + seconds * 1_000
  while (performance.now() < deadline) {
    const { zone } = (await api.get(`/zones/${id}`)).body
    if (zone.record_count >= 20) return true
    await delay(100)
  }
  return false
}
