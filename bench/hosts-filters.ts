/** Packet filters of many servers on hosts, beside the same rules written by OVN's own command. */
import { randomUUID } from 'node:crypto'
import { type Overlay, openOverlay } from '../src/drivers/hosts/overlay/overlay.ts'
import type { FilterRule } from '../src/families/firewalls/driver.ts'
import { clusterOf } from '../test/hosts/kit/cluster.ts'
import { timed } from './client.ts'
import { command, type HostsBench, inTurns } from './hosts-rounds.ts'
import type { Row } from './report.ts'

/** The longest that hosts may take for these changes, in milliseconds. */
const patience = 120_000

/** A port of the public network that no instance has. Each side has its own. */
interface Port {
  readonly name: string
  readonly mac: string
  readonly ipv4: string
  readonly ipv6: string
}

/**
 * Replaces the filter of one server, and then of all, until all hosts have it. Each side has as many ports that are
 * filtered alike. The driver is called directly, since no lab has as many servers.
 */
export async function filters(bench: HostsBench): Promise<Row[]> {
  const { publicNetwork, ovn } = clusterOf(bench.lab)
  const router = JSON.parse(await command(bench, 'incus', 'query', `/1.0/networks/${publicNetwork}/state`)).ovn
    .logical_router as string
  const logical = { logicalRouter: router, logicalSwitch: router.replace(/-lr$/, '-ls-int') }
  const overlay = await openOverlay({ ...ovn, publicNetwork, metadata: null, logicalNetwork: async () => logical })
  try {
    const first = Date.now()
    const ids = Array.from({ length: bench.servers }, (_, index) => first + index)
    for (const [index, id] of ids.entries()) {
      await plug(bench, logical.logicalSwitch, await admitted(overlay, router, id, index))
    }
    const others = ids.map((_, index) => bareGroup(index))
    for (const [index, group] of others.entries()) {
      const port = portAt(
        `bench-${index}`,
        index + bench.servers,
        `172.31.253.${index + 1}`,
        `fd00:172:31::fd:${index}`,
      )
      await plug(bench, logical.logicalSwitch, port)
      await command(bench, 'ovn-nbctl', 'pg-add', group, port.name)
    }
    return [await ofMany(bench, overlay, ids, others), await ofOne(bench, overlay, ids, others)]
  } finally {
    await overlay.close()
  }
}

/** Comes before the first measurement of one filter, so that all others are in force. */
function ofMany(bench: HostsBench, overlay: Overlay, ids: readonly number[], groups: readonly string[]): Promise<Row> {
  const { servers, rules } = bench
  const name = `filters of ${servers} servers x ${rules} rules replaced`
  const note = 'bare: ovn-nbctl, one call for each, then sync'
  const wolke = (round: number) =>
    timed(async () => {
      await Promise.all(ids.map((id) => replace(overlay, id, round + 1, rules)))
      await overlay.converged(patience)
    })
  const bare = (round: number) =>
    timed(async () => {
      for (const group of groups) await replaceBare(bench, group, round + 1)
      await command(bench, 'ovn-nbctl', '--wait=hv', '--timeout=120', 'sync')
    })
  return inTurns(bench, { name, note }, wolke, bare)
}

function ofOne(bench: HostsBench, overlay: Overlay, [id]: readonly number[], [group]: readonly string[]): Promise<Row> {
  const { servers, rules } = bench
  const name = `filter of one of ${servers} servers x ${rules} rules replaced`
  // It ends when the hosts have it.
  const wolke = (round: number) => timed(() => replace(overlay, id!, 1_000 + round, rules))
  const bare = (round: number) => timed(() => replaceBare(bench, group!, 1_000 + round, ['--wait=hv', '--timeout=120']))
  return inTurns(bench, { name, note: 'bare: ovn-nbctl --wait=hv, one transaction' }, wolke, bare)
}

/** The networks of a rule, which differ from those of the last round. */
const networksOf = (rule: number, round: number) =>
  Array.from({ length: 10 }, (_, index) => `10.${round % 250}.${rule}.${index * 16}/28`)

function replace({ firewalls }: Overlay, serverId: number, round: number, rules: number): Promise<void> {
  const accept = Array.from({ length: rules }, (_, rule): FilterRule => {
    const port = 1_000 + rule
    return { protocol: 'tcp', ports: { first: port, last: port }, networks: networksOf(rule, round) }
  })
  const inbound = { otherwise: 'drop', accept } as const
  return firewalls.apply({
    serverId,
    location: 1,
    generation: round,
    inbound,
    outbound: { otherwise: 'accept', accept: [] },
  })
}

const bareGroup = (index: number) => `bench_${index}`

async function replaceBare(bench: HostsBench, group: string, round: number, options: string[] = []): Promise<void> {
  const added = (priority: number, match: string, verdict: string) => {
    return ['--', '--type=port-group', 'acl-add', group, 'to-lport', `${priority}`, match, verdict]
  }
  const to = `outport == @${group}`
  const allowed = Array.from({ length: bench.rules }, (_, rule) => {
    const from = `ip4.src == {${networksOf(rule, round).join(', ')}}`
    return added(2_000, `${to} && ip4 && tcp.dst == ${1_000 + rule} && ${from}`, 'allow-related')
  })
  const all = [...allowed.flat(), ...added(1_000, `${to} && ip`, 'drop')]
  await command(bench, 'ovn-nbctl', ...options, '--type=port-group', 'acl-del', group, ...all)
}

/** Lets the driver know of a server, as it does before it gets power. */
async function admitted(overlay: Overlay, router: string, server: number, index: number): Promise<Port> {
  const internal = await overlay.reserve(server, 1, null)
  if (!internal) throw new Error(`server ${server} has no internal address`)
  const instance = randomUUID()
  const name = `${router.replace(/-lr$/, '')}-instance-${instance}-eth0`
  const port = portAt(name, index, internal.ipv4, internal.ipv6)
  const { mac } = port
  await overlay.admit({ server, generation: 1, instance, mac, ipv4: null, ipv6: null, isClosed: false })
  return port
}

function portAt(name: string, index: number, ipv4: string, ipv6: string): Port {
  return { name, mac: `96:00:00:00:fe:${index.toString(16).padStart(2, '0')}`, ipv4, ipv6 }
}

/** Makes the port of an instance as Incus does. */
async function plug(bench: HostsBench, logicalSwitch: string, { name, mac, ipv4, ipv6 }: Port): Promise<void> {
  const addresses = ['--', 'lsp-set-addresses', name, `${mac} ${ipv4} ${ipv6}`]
  await command(bench, 'ovn-nbctl', 'lsp-add', logicalSwitch, name, ...addresses)
}
