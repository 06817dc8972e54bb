/** Private networks on hosts, through their drivers alone, seen by the servers in them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onMember } from '../../../lab/lab.ts'
import { networkName } from '../../../src/drivers/hosts/names.ts'
import type { NetworkShape } from '../../../src/families/networks/driver.ts'
import { until } from '../../kit/database/bare-database.ts'
import { theLab } from '../kit/cluster.ts'
import { type LabHosts, labHosts, newId, Servers } from '../kit/drivers.ts'
import { onHost, run } from '../kit/guests.ts'
import { networksOf } from '../kit/networks.ts'
import { inLab } from '../kit/place.ts'

const location = 1
const ranges: NetworkShape = {
  ipRange: '10.0.0.0/16',
  subnets: [{ ipRange: '10.0.1.0/24', networkZone: 'eu-central', gateway: '10.0.0.1', vswitchId: null }],
  routes: [],
  exposesRoutes: false,
}

/** An interface of a server in a network. */
const inNetwork = (networkId: number, last: number, aliasIps: readonly string[] = []) => ({
  networkId,
  ip: `10.0.1.${last}`,
  aliasIps,
  mac: `86:00:00:00:01:${last}`,
  subnet: '10.0.1.0/24',
  gateway: '10.0.0.1',
})

/** A network with servers in it. */
class Net {
  readonly id = newId()
  readonly #hosts: LabHosts
  readonly #servers: Servers

  constructor(servers: Servers) {
    this.#servers = servers
    this.#hosts = servers.hosts
  }

  async shape(generation: number, shape: NetworkShape | null): Promise<void> {
    await this.#hosts.machines.networks.apply({ id: this.id, generation, shape })
  }

  async join(server: number, generation: number, last: number, aliasIps?: readonly string[]): Promise<void> {
    const interfaces = [inNetwork(this.id, last, aliasIps)]
    await this.#hosts.machines.interfaces.apply({ serverId: server, location, generation, interfaces })
  }

  async leave(server: number, generation: number): Promise<void> {
    await this.#hosts.machines.interfaces.apply({ serverId: server, location, generation, interfaces: [] })
  }

  async reaches(from: number, address: string): Promise<void> {
    const answer = () => this.#servers.tell(from, `ping -c 1 -W 1 ${address}`)
    await until(async () => (await answer()) !== undefined, `server ${from} reaches ${address}`).catch(
      async (error: Error) => {
        const inGuest = await this.#servers.tell(from, 'ip address; ip route; ip neighbour; ip -s link')
        throw new Error(`${error.message}\n${inGuest}\n${await networksOf(theLab())}`)
      },
    )
  }

  async misses(from: number, address: string): Promise<void> {
    const answer = () => this.#servers.tell(from, `ping -c 1 -W 1 ${address}`)
    await until(async () => (await answer()) === undefined, `server ${from} does not reach ${address}`)
  }

  /** Has Incus believe that a host died while the network was made: one that has made it, or one that has not. */
  async breakOff(state: 'made' | 'not made'): Promise<void> {
    const of = `network_id = (SELECT id FROM networks WHERE name = '${networkName(this.id)}')`
    const local = state === 'made' ? 1 : 0
    const changes = [
      `UPDATE networks_nodes SET state = ${local} WHERE ${of}`,
      `UPDATE networks SET state = 2 WHERE name = '${networkName(this.id)}'`,
    ]
    for (const change of changes) await until(() => hasChanged(change), `Incus takes ${change}`)
  }

  /** Takes the rows that Incus has made of it out of OVN, as when Wolke dies before it removes the network from Incus. */
  async clear(): Promise<void> {
    const path = `/1.0/networks/${networkName(this.id)}/state`
    const { ovn } = (await this.#hosts.incus.get<{ ovn: Record<string, string> }>(path))!.value
    const { logical_router: router, logical_switch: logicalSwitch } = ovn
    await onHost(theLab().members[0]!, 'ovn-nbctl', '--timeout=60', 'lr-del', router!, '--', 'ls-del', logicalSwitch!)
  }

  async isThere(): Promise<boolean> {
    return (await this.#hosts.incus.get(`/1.0/networks/${networkName(this.id)}`)) !== undefined
  }
}

/** Whether the database of Incus was changed. It refuses to be while a daemon writes to it, as daemons do at any time. */
async function hasChanged(statement: string): Promise<boolean> {
  const command = ['incus', 'admin', 'sql', 'global', statement]
  const { code, stderr } = await run(onMember(theLab().members[0]!, command))
  if (code !== 0 && !stderr.includes('database is locked')) throw new Error(stderr)
  return code === 0
}

test(
  'servers on several hosts see each other in their network, reach what its routes lead to, and nobody else',
  inLab,
  async () => {
    const servers = new Servers(await labHosts())
    const [one, other, third] = [newId(), newId(), newId()]
    const [net, apart] = [new Net(servers), new Net(servers)]
    await Promise.all([net.shape(1, ranges), apart.shape(1, ranges)])
    try {
      await servers.run(one, other, third)
      await net.join(one, 1, 11)
      await net.join(other, 1, 12, ['10.0.1.112'])
      await apart.join(third, 1, 13)
      await net.reaches(one, '10.0.1.12')
      await net.misses(one, '10.0.1.13')
      await net.misses(third, '10.0.1.11')

      await servers.tell(other, 'ip address add 10.0.1.112/32 dev eth1')
      await net.reaches(one, '10.0.1.112')

      await servers.tell(other, 'ip address add 10.0.200.1/32 dev lo')
      await net.misses(one, '10.0.200.1')
      const routes = [{ destination: '10.0.200.0/24', gateway: '10.0.1.12' }]
      await net.shape(2, { ...ranges, routes })
      await net.reaches(one, '10.0.200.1')
      await net.shape(3, ranges)
      // A shape that comes late adds no route.
      await net.shape(2, { ...ranges, routes })
      await net.misses(one, '10.0.200.1')

      // It finds its interface when it starts as well.
      await servers.apply(other, { power: 'on', cycle: 5 })
      await servers.isUp(other)
      await net.reaches(one, '10.0.1.12')

      // A set that comes late brings nothing back.
      await net.leave(other, 2)
      await net.join(other, 1, 12)
      assert.equal(await servers.tell(other, 'ip link show eth1'), undefined)
      await net.misses(one, '10.0.1.12')
    } finally {
      await servers.remove(one, other, third)
      await Promise.all([net.shape(9, null), apart.shape(9, null)])
    }
    assert.deepEqual([await net.isThere(), await apart.isThere()], [false, false])
  },
)

test('a network grows, and stays removed until a newer generation', inLab, async () => {
  const net = new Net(new Servers(await labHosts()))
  await net.shape(1, ranges)
  await net.shape(2, { ...ranges, ipRange: '10.0.0.0/8' })
  await net.shape(3, null)
  await net.shape(2, ranges)
  assert.equal(await net.isThere(), false)
  await net.shape(4, ranges)
  assert.equal(await net.isThere(), true)
  await net.shape(5, null)
})

/** The rows of OVN that networks consist of; what these have goes with them. */
async function rowsOfNetworks(): Promise<string[]> {
  const tables = [
    'Logical_Router',
    'Logical_Switch',
    'HA_Chassis_Group',
    'Port_Group',
    'Address_Set',
    'DHCP_Options',
    'DNS',
  ]
  const list = tables.flatMap((table) => ['--', '--columns=_uuid', 'list', table])
  return (await onHost(theLab().members[0]!, 'ovn-nbctl', '--bare', ...list)).split(/\s+/).sort()
}

for (const state of ['made', 'not made'] as const) {
  test(`a network that is ${state} on a host that died is made anew, and nothing is left of it`, inLab, async () => {
    const net = new Net(new Servers(await labHosts()))
    const before = await rowsOfNetworks()
    await net.shape(1, ranges)
    const whole = (await rowsOfNetworks()).length
    await net.breakOff(state)
    await net.shape(2, ranges)
    assert.equal((await rowsOfNetworks()).length, whole)
    await net.breakOff(state)
    await net.shape(3, null)
    assert.deepEqual(await rowsOfNetworks(), before)
    assert.equal(await net.isThere(), false)
  })
}

for (const state of ['made', 'not made'] as const) {
  test(`a network that is ${state} on a host that died goes also when its rows are gone already`, inLab, async () => {
    const net = new Net(new Servers(await labHosts()))
    await net.shape(1, ranges)
    await net.clear()
    await net.breakOff(state)
    await net.shape(2, ranges)
    await net.clear()
    await net.breakOff(state)
    await net.shape(3, null)
    assert.equal(await net.isThere(), false)
  })
}
