/** Hosts lose their power and boot again: what was on them comes back by itself, as it was and behind the same filter. */
import assert from 'node:assert/strict'
import type { Member } from '../../../lab/lab.ts'
import { by, connect, firstOf, ipv4Of, ipv6Of, type Json, ping, type Stage } from '../../conformance/stage.ts'
import { cutPower, powerUp } from '../kit/daemons.ts'
import { type LabPlace, onLab } from '../kit/place.ts'

const rule = (protocol: string, port?: string) => ({
  direction: 'in',
  protocol,
  source_ips: ['0.0.0.0/0', '::/0'],
  ...(port === undefined ? {} : { port }),
})

interface Estate {
  /** One on each host, in their order. */
  readonly servers: readonly Json[]
  /** Floating, and led to the server of the same place. */
  readonly addresses: readonly string[]
  /** Paths of files on volumes. */
  readonly files: readonly string[]
}

/** Servers on all hosts that have everything that a server can have. */
async function makeEstate(stage: Stage, { lab, look }: LabPlace): Promise<Estate> {
  const apart = await stage.apart()
  const subnet = { type: 'cloud', ip_range: '10.0.0.0/24', network_zone: 'eu-central' }
  const { network } = await stage.post('/networks', { name: 'own', ip_range: '10.0.0.0/16', subnets: [subnet] })
  const rules = [rule('tcp', '22'), rule('icmp')]
  const { firewall } = await stage.post('/firewalls', { name: 'wall', rules })
  const common = { ...apart, firewalls: [{ firewall: firewall.id }] }
  const names = lab.members.map(({ name }) => `on-${name}`)
  const made = await stage.servers(...names.map((name) => ({ name, ...common })))
  const hosts = await Promise.all(made.map(({ id }) => look.hostOf(id)))
  const servers = lab.members.map(({ name }) => made[hosts.indexOf(name)])
  const addresses: string[] = []
  const files: string[] = []
  for (const { id, name, public_net } of servers) {
    await stage.answers(public_net.ipv4.ip, name)
    // It is to be in the network after its next boot, although it was not in its first.
    await stage.command(id, 'attach_to_network', { network: network.id })
    const { volume } = await stage.post('/volumes', { name: `of-${name}`, size: 10, server: id, format: 'ext4' })
    files.push(`/mnt/HC_Volume_${volume.id}/kept`)
    await look.write(id, files.at(-1)!, name)
    const floating = { type: 'ipv4', name: `to-${name}`, server: id }
    addresses.push(firstOf((await stage.post('/floating_ips', floating)).floating_ip.ip))
  }
  return { servers: await Promise.all(servers.map(({ id }) => stage.server(id))), addresses, files }
}

/** Asserts that a server has what it had, whoever had its power cut. */
async function isBack(stage: Stage, { servers, addresses, files }: Estate, index: number): Promise<void> {
  const { look } = stage.place
  const [server, address, file] = [servers[index], addresses[index]!, files[index]!]
  const neighbour = servers[(index + 1) % servers.length]
  const probes = [ping(ipv6Of(server)), by(server, ping(ipv6Of(neighbour)))]
  await stage.answers(ipv4Of(server), server.name)
  // Guests forget at each boot what nobody has told them.
  await look.configure(server.id, { address })
  await stage.answers(address, server.name)
  await stage.arrive(
    ...probes,
    by(neighbour, ping(server.private_net[0].ip)),
    by(server, ping(neighbour.private_net[0].ip)),
  )
  await stage.vanish(connect(ipv4Of(server), 23))
  assert.equal(await look.read(server.id, file), server.name)
  assert.equal((await stage.server(server.id)).status, 'running')
}

onLab('servers of a host answer again once it has lost its power and boots', async (stage, place) => {
  const estate = await makeEstate(stage, place)
  const { members } = place.lab
  const strike = async (member: Member) => {
    const index = members.indexOf(member)
    const [server, other] = [estate.servers[index], estate.servers[(index + 1) % members.length]]
    await cutPower(member)
    await stage.vanish(ping(ipv4Of(server)))
    await stage.answers(ipv4Of(other), other.name)
    await powerUp(member)
    await isBack(stage, estate, index)
  }
  for (const member of members.toReversed()) await strike(member)
})

onLab(
  'all servers answer again once all hosts have lost their power and boot one after the other',
  async (stage, place) => {
    const estate = await makeEstate(stage, place)
    const { members } = place.lab
    await Promise.all(members.map(cutPower))
    await Promise.all(members.map(powerUp))
    for (const index of members.keys()) await isBack(stage, estate, index)
  },
)
