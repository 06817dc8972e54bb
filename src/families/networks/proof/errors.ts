import {
  conflict,
  done,
  type ErrorScenario,
  type ErrorScenarios,
  lacking,
  overLimit,
  takenName,
  takenTwice,
  unique,
} from '../../../../test/kit/proof.ts'
import { makeServer, serverBody } from '../../servers/proof.ts'
import {
  body,
  cloudSubnet,
  makeMember,
  makeNetwork,
  makePlace,
  prepare,
  route,
  vswitchCatalogue,
  vswitchSubnet,
} from './samples.ts'

/** Asks for a change while another one is under way. */
const meanwhile = (path: string, change: object): ErrorScenario => {
  return async (stage) => {
    const { id } = await prepare(stage)
    await done(stage.api.post(`/networks/${id}/actions/add_subnet`, cloudSubnet()))
    return path === '' ? stage.api.delete(`/networks/${id}`) : stage.api.post(`/networks/${id}/actions/${path}`, change)
  }
}

/** Asks for a change of a server that an action holds. */
const lockedServer = (path: string, more: object): ErrorScenario => {
  return async (stage) => {
    const { server, network } = await makeMember(stage)
    await done(stage.api.post(`/servers/${server}/actions/poweroff`))
    return stage.api.post(`/servers/${server}/actions/${path}`, { network, ...more })
  }
}

export const errors: ErrorScenarios = {
  'networks.create': {
    uniqueness_error: takenTwice('/networks', body),
    resource_limit_exceeded: overLimit('networks', '/networks', body),
    service_error: ({ api }) => api.post('/networks', body({ subnets: [vswitchSubnet('10.0.1.0/24')] })),
    unsupported_error: lacking('vswitches', async () => ['/networks', body({ subnets: [vswitchSubnet()] })]),
    async vswitch_id_already_used({ open }) {
      const { api } = await open({ catalogue: vswitchCatalogue, runActions: false })
      await makeNetwork({ api }, { subnets: [vswitchSubnet()] })
      return api.post('/networks', body({ subnets: [vswitchSubnet()] }))
    },
  },
  'networks.update': {
    uniqueness_error: takenName('networks', prepare),
    conflict: conflict('networks', 'network', prepare),
  },
  'networks.remove': {
    conflict: meanwhile('', {}),
    async protected(stage) {
      const id = await makeNetwork(stage)
      await done(stage.api.post(`/networks/${id}/actions/change_protection`, { delete: true }))
      return stage.api.delete(`/networks/${id}`)
    },
  },
  'networks.addSubnet': {
    conflict: meanwhile('add_subnet', cloudSubnet()),
    async resource_limit_exceeded(stage) {
      const id = await makeNetwork(stage, { subnets: Array.from({ length: 50 }, () => cloudSubnet()) })
      return stage.api.post(`/networks/${id}/actions/add_subnet`, cloudSubnet())
    },
    service_error: async (stage) =>
      stage.api.post(`/networks/${await makeNetwork(stage)}/actions/add_subnet`, vswitchSubnet()),
    unsupported_error: lacking('vswitches', async (world) => [
      `/networks/${await makeNetwork(world)}/actions/add_subnet`,
      vswitchSubnet(),
    ]),
    async vswitch_id_already_used({ open }) {
      const { api } = await open({ catalogue: vswitchCatalogue, runActions: false })
      const id = await makeNetwork({ api }, { subnets: [vswitchSubnet()] })
      return api.post(`/networks/${id}/actions/add_subnet`, vswitchSubnet())
    },
  },
  'networks.deleteSubnet': {
    conflict: meanwhile('delete_subnet', { ip_range: '10.0.1.0/24' }),
    async service_error(stage) {
      const { network } = await makeMember(stage)
      return stage.api.post(`/networks/${network}/actions/delete_subnet`, { ip_range: '10.0.1.0/24' })
    },
  },
  'networks.addRoute': {
    conflict: meanwhile('add_route', { ...route, destination: '10.100.2.0/24' }),
    async resource_limit_exceeded(stage) {
      const routes = Array.from({ length: 100 }, (_, i) => ({ ...route, destination: `10.100.${i}.0/24` }))
      const id = await makeNetwork(stage, { routes })
      return stage.api.post(`/networks/${id}/actions/add_route`, { ...route, destination: '10.101.0.0/24' })
    },
  },
  'networks.deleteRoute': { conflict: meanwhile('delete_route', route) },
  'networks.attachToNetwork': {
    locked: lockedServer('attach_to_network', {}),
    async resource_limit_exceeded({ open }) {
      const world = await open({ limits: { network_members: 0 } })
      const { server, network } = await makePlace(world)
      return world.api.post(`/servers/${server}/actions/attach_to_network`, { network })
    },
    async server_already_attached(stage) {
      const { server, network } = await makeMember(stage)
      return stage.api.post(`/servers/${server}/actions/attach_to_network`, { network })
    },
    async networks_overlap(stage) {
      const { server } = await makeMember(stage)
      const network = await makeNetwork(stage, { subnets: [cloudSubnet()] })
      return stage.api.post(`/servers/${server}/actions/attach_to_network`, { network })
    },
    async no_subnet_available(stage) {
      const server = await makeServer(stage)
      const network = await makeNetwork(stage)
      return stage.api.post(`/servers/${server}/actions/attach_to_network`, { network })
    },
    async ip_not_available(stage) {
      const { server, network } = await makePlace(stage)
      return stage.api.post(`/servers/${server}/actions/attach_to_network`, { network, ip: '10.0.1.255' })
    },
  },
  'networks.detachFromNetwork': {
    locked: lockedServer('detach_from_network', {}),
  },
  'networks.changeAliasIps': {
    locked: lockedServer('change_alias_ips', { alias_ips: [] }),
    async service_error(stage) {
      const { server, network } = await makePlace(stage)
      return stage.api.post(`/servers/${server}/actions/change_alias_ips`, { network, alias_ips: [] })
    },
    async ip_not_available(stage) {
      const { server, network } = await makeMember(stage)
      return stage.api.post(`/servers/${server}/actions/change_alias_ips`, { network, alias_ips: ['10.0.1.1'] })
    },
  },
  'servers.create': {
    async no_subnet_available(stage) {
      return stage.api.post('/servers', serverBody(unique('server'), { networks: [await makeNetwork(stage)] }))
    },
    async networks_overlap(stage) {
      const networks = [1, 2].map(() => makeNetwork(stage, { subnets: [cloudSubnet()] }))
      return stage.api.post('/servers', serverBody(unique('server'), { networks: await Promise.all(networks) }))
    },
  },
  'networks.changeIpRange': { conflict: meanwhile('change_ip_range', { ip_range: '10.0.0.0/8' }) },
}
