import type { World } from '../../../../test/kit/harness.ts'
import { done, type References, rename, type Samples, unique } from '../../../../test/kit/proof.ts'
import { builtIn } from '../../../catalogue/built-in.ts'
import { openCatalogue } from '../../../catalogue/catalogue.ts'
import { makeServer, serverBody } from '../../servers/proof.ts'

/** A catalogue with vSwitches. */
export const vswitchCatalogue = openCatalogue({ ...builtIn, vswitches: [{ id: 4711 }, { id: 4712 }] })

export const cloudSubnet = (ip_range?: string) => ({
  type: 'cloud',
  network_zone: 'eu-central',
  ...(ip_range ? { ip_range } : {}),
})
export const vswitchSubnet = (ip_range?: string, vswitch_id = 4711) => ({
  ...cloudSubnet(ip_range),
  type: 'vswitch',
  vswitch_id,
})

export const route = { destination: '10.100.1.0/24', gateway: '10.0.1.1' }
export const body = (more: object = {}) => ({ name: unique('network'), ip_range: '10.0.0.0/16', ...more })

/** Creates a network and returns its id. */
export async function makeNetwork({ api }: Pick<World, 'api'>, more: object = {}): Promise<number> {
  return (await done(api.post('/networks', body(more)))).network.id
}

/** A network with a subnet, and a server. */
export async function makePlace(world: World): Promise<{ server: number; network: number }> {
  const network = await makeNetwork(world, { subnets: [cloudSubnet('10.0.1.0/24')] })
  return { server: await makeServer(world), network }
}

export async function makeMember(world: World): Promise<{ server: number; network: number }> {
  const place = await makePlace(world)
  await done(world.api.post(`/servers/${place.server}/actions/attach_to_network`, { network: place.network }))
  await world.settle()
  return place
}

export const prepare: Samples['prepare'] = async (world) => {
  const id = await makeNetwork(world, { subnets: [cloudSubnet('10.0.1.0/24')], routes: [route] })
  const { action } = await done(world.api.post(`/networks/${id}/actions/change_protection`, { delete: false }))
  return { id, actionId: action.id }
}

export const samples: Samples = {
  prepare,
  requests: {
    create: () => ({ body: body() }),
    update: rename('network'),
    addSubnet: () => ({ body: cloudSubnet() }),
    deleteSubnet: () => ({ body: { ip_range: '10.0.1.0/24' } }),
    addRoute: () => ({ body: { ...route, destination: '10.100.2.0/24' } }),
    deleteRoute: () => ({ body: route }),
    changeIpRange: () => ({ body: { ip_range: '10.0.0.0/8' } }),
    changeProtection: () => ({ body: { delete: true } }),
    async attachToNetwork(world) {
      const { server, network } = await makePlace(world)
      return { target: { id: server }, body: { network } }
    },
    async detachFromNetwork(world) {
      const { server, network } = await makeMember(world)
      return { target: { id: server }, body: { network } }
    },
    async changeAliasIps(world) {
      const { server, network } = await makeMember(world)
      return { target: { id: server }, body: { network, alias_ips: ['10.0.1.9'] } }
    },
  },
}

export const references: References = {
  'servers.create networks': { family: 'networks', body: (id) => serverBody(unique('server'), { networks: [id] }) },
  'networks.attachToNetwork network': { family: 'networks', body: (network) => ({ network }) },
  'networks.detachFromNetwork network': { family: 'networks', body: (network) => ({ network }) },
  'networks.changeAliasIps network': { family: 'networks', body: (network) => ({ network, alias_ips: [] }) },
}
