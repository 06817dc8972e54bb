import assert from 'node:assert/strict'
import { agree, type Consistency, type Snapshot } from '../../../../test/kit/proof.ts'
import { numberOfIpv4 } from '../../../protocols/net/ip.ts'
import { isReserved, type Subnet, subnetAround } from '../domain.ts'
import type { InterfacesState } from '../driver.ts'

export const consistency: Consistency = {
  resources: 'network',
  belongs: [
    ['network_vswitch', 'network_id', 'network'],
    ['network_attachment', 'network_id', 'network'],
    ['network_attachment', 'server_id', 'server'],
    ['network_interfaces', 'id', 'server'],
  ],
  async rows(found) {
    const coupled = (await found.all('network_vswitch')).map((row) => `${row.id} in ${row.network_id}`)
    const wanted: string[] = []
    for (const { id, former, subnets } of await found.all('network')) {
      assert.equal(former, null, `I10: network ${id} remembers what it cannot go back to`)
      for (const { vswitchId } of JSON.parse(subnets)) if (vswitchId !== null) wanted.push(`${vswitchId} in ${id}`)
    }
    for (const { id, ip, address, status, former_alias_ips: former } of await found.all('network_attachment')) {
      assert.deepEqual([status, former], ['ok', null], `attachment ${id} is at rest`)
      assert.equal(address, numberOfIpv4(ip), `attachment ${id} has one address`)
    }
    assert.deepEqual(coupled.sort(), wanted.sort(), 'vSwitches are coupled with the networks that name them')
    await checkAddresses(found)
  },
  /** Networks whose newest state is confirmed are out there as they are wanted, and no others. */
  async world(found, { simulation }) {
    const { networks, interfaces } = simulation.world
    await checkInterfaces(found, interfaces)
    const states = new Map((await found.all('network_state')).map((row) => [row.id, row]))
    for (const id of networks.keys()) assert.ok(states.has(id), `I10: network ${id} is out there without an owner`)
    for (const { id, ip_range, subnets, routes } of await found.all('network')) {
      const wanted = states.get(id)
      assert.ok(wanted, `something is desired of network ${id}`)
      if (wanted.generation_in_force < wanted.generation) continue
      const known = networks.get(id)
      const ranges = (list: readonly { ipRange: string }[] = []) => list.map(({ ipRange }) => ipRange)
      assert.deepEqual(
        [known?.ipRange, ranges(known?.subnets), known?.routes],
        [ip_range, ranges(JSON.parse(subnets)), JSON.parse(routes)],
        `network ${id} is what it should be`,
      )
    }
  },
  shown: (api) =>
    agree(
      api,
      ['servers', ({ private_net }) => private_net.map(({ network }: { network: number }) => network)],
      ['networks', ({ servers }) => servers],
    ),
}

/** Nobody in a network has the address of another one or of its gateway, and each is in a subnet. */
async function checkAddresses(found: Snapshot): Promise<void> {
  const members = Map.groupBy(await found.all('network_attachment'), (row) => row.network_id)
  for (const { id, ip_range, subnets } of await found.all('network')) {
    const network = { ipRange: ip_range, subnets: JSON.parse(subnets) as Subnet[] }
    const addresses = (members.get(id) ?? []).flatMap((row) => [row.ip, ...(JSON.parse(row.alias_ips) as string[])])
    assert.deepEqual(addresses, [...new Set(addresses)], `I4: an address of network ${id} is given once`)
    for (const address of addresses) {
      const subnet = subnetAround(network.subnets, address)
      assert.ok(subnet && !isReserved(network, subnet, address), `${address} is there for servers in network ${id}`)
    }
  }
}

/** Servers have out there the addresses that they have in networks. */
async function checkInterfaces(found: Snapshot, sets: ReadonlyMap<number, InterfacesState>): Promise<void> {
  const attachments = await found.all('network_attachment')
  const desired = await found.all('network_interfaces')
  const known = new Set<number>(desired.map(({ id }) => id))
  for (const id of sets.keys()) assert.ok(known.has(id), `I10: interfaces of no server ${id}`)
  for (const { id, generation, generation_in_force: inForce } of desired) {
    if (inForce < generation) continue
    const wanted = attachments.filter((row) => row.server_id === id)
    assert.deepEqual(
      sets.get(id)?.interfaces.map(({ networkId, ip, aliasIps }) => [networkId, ip, JSON.stringify(aliasIps)]),
      wanted.map((row) => [row.network_id, row.ip, row.alias_ips]),
      `the private interfaces of server ${id}`,
    )
  }
}
