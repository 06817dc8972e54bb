/** Private networks. */
import { by, type Json, ping, type Stage } from './stage.ts'

const range = '10.0.0.0/16'
/** What is behind one of its servers. */
const behind = '10.100.0.0/16'
const ranges = [range, behind]
const gateway = '10.0.0.1'

async function makeNetwork(stage: Stage, name: string): Promise<number> {
  const subnets = [{ type: 'cloud', ip_range: '10.0.0.0/24', network_zone: 'eu-central' }]
  return (await stage.post('/networks', { name, ip_range: range, subnets })).network.id
}

/** Makes the guest take a private address, on the interface that the server has in the network. */
async function configure(stage: Stage, server: number, address: string): Promise<void> {
  const { private_net } = await stage.server(server)
  await stage.place.look.configure(server, { address, within: { mac: private_net[0].mac_address, gateway, ranges } })
}

const join = async (stage: Stage, server: Json, network: number, ip: string) => {
  await stage.command(server.id, 'attach_to_network', { network, ip })
  await configure(stage, server.id, ip)
}

/** Servers of one network see each other whatever host they run on, and servers of another one do not. */
export async function seesItsMembers(stage: Stage): Promise<void> {
  const [near, far] = [await makeNetwork(stage, 'near'), await makeNetwork(stage, 'far')]
  const apart = await stage.apart()
  const [one, two, stranger] = await stage.servers(
    { name: 'one', ...apart },
    { name: 'two', ...apart },
    { name: 'stranger' },
  )
  await stage.areApart(one.id, two.id)
  await join(stage, one, near, '10.0.0.2')
  await join(stage, two, near, '10.0.0.3')
  await join(stage, stranger, far, '10.0.0.9')
  await stage.arrive(by(one, ping('10.0.0.3')), by(two, ping('10.0.0.2')))
  await stage.vanish(by(one, ping('10.0.0.9')), by(stranger, ping('10.0.0.2')))

  await stage.command(two.id, 'change_alias_ips', { network: near, alias_ips: ['10.0.0.50'] })
  await configure(stage, two.id, '10.0.0.50')
  await stage.arrive(by(one, ping('10.0.0.50')))

  const route = { destination: behind, gateway: '10.0.0.3' }
  await configure(stage, two.id, '10.100.0.1')
  await stage.vanish(by(one, ping('10.100.0.1')))
  await stage.post(`/networks/${near}/actions/add_route`, route)
  await stage.arrive(by(one, ping('10.100.0.1')))
  await stage.post(`/networks/${near}/actions/delete_route`, route)
  await stage.vanish(by(one, ping('10.100.0.1')))

  await stage.command(two.id, 'detach_from_network', { network: near })
  await stage.vanish(by(one, ping('10.0.0.3')), by(one, ping('10.0.0.50')))
}

/** A server that is made in a network is in it from its first boot. */
export async function isBootedInto(stage: Stage): Promise<void> {
  const network = await makeNetwork(stage, 'first')
  const [one, two] = await stage.servers({ name: 'one', networks: [network] }, { name: 'two', networks: [network] })
  const [there] = two.private_net
  await stage.arrive(by(one, ping(there.ip)))
}
