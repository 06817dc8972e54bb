import { type ActionScenario, type ActionScenarios, act } from '../../../../test/kit/proof.ts'
import { createAgain } from '../../servers/proof.ts'
import { cloudSubnet, makeMember, makeNetwork, makePlace, prepare, route } from './samples.ts'

const onNetwork = (path: string, change: object): ActionScenario => {
  return async (world) => {
    const { id } = await prepare(world)
    return act((api) => api.post(`/networks/${id}/actions/${path}`, change))
  }
}

export const actions: ActionScenarios = {
  'networks/add_subnet': onNetwork('add_subnet', cloudSubnet('10.0.2.0/24')),
  'networks/delete_subnet': onNetwork('delete_subnet', { ip_range: '10.0.1.0/24' }),
  'networks/add_route': onNetwork('add_route', { ...route, destination: '10.100.2.0/24' }),
  'networks/delete_route': onNetwork('delete_route', route),
  'networks/change_ip_range': onNetwork('change_ip_range', { ip_range: '10.0.0.0/8' }),
  async 'networks/attach_to_network'(world) {
    const { server, network } = await makePlace(world)
    return act((api) => api.post(`/servers/${server}/actions/attach_to_network`, { network }))
  },
  async 'networks/detach_from_network'(world) {
    const { server, network } = await makeMember(world)
    return act((api) => api.post(`/servers/${server}/actions/detach_from_network`, { network }))
  },
  async 'networks/change_alias_ips'(world) {
    const { server, network } = await makeMember(world)
    return act((api) => api.post(`/servers/${server}/actions/change_alias_ips`, { network, alias_ips: ['10.0.1.9'] }))
  },
  'servers/create_server in a network': async (world) =>
    createAgain(world, { networks: [await makeNetwork(world, { subnets: [cloudSubnet('10.0.1.0/24')] })] }),
  'networks/change_protection': onNetwork('change_protection', { delete: true }),
}
