import { type ActionScenarios, act } from '../../../../test/kit/proof.ts'
import { makeServer } from '../../servers/proof.ts'
import { ipOf, makeAssigned, makeFloatingIp } from './samples.ts'

export const actions: ActionScenarios = {
  async 'floating_ips/create_floating_ip'(world) {
    const server = await makeServer(world)
    return act((api) => api.post('/floating_ips', { type: 'ipv4', server }))
  },
  async 'floating_ips/assign_floating_ip'(world) {
    const id = await makeAssigned(world)
    const server = await makeServer(world)
    return act((api) => api.post(`/floating_ips/${id}/actions/assign`, { server }))
  },
  async 'floating_ips/unassign_floating_ip'(world) {
    const id = await makeAssigned(world)
    return act((api) => api.post(`/floating_ips/${id}/actions/unassign`))
  },
  async 'floating_ips/change_dns_ptr'(world) {
    const id = await makeFloatingIp(world)
    const ip = await ipOf(world, id)
    return act((api) => api.post(`/floating_ips/${id}/actions/change_dns_ptr`, { ip, dns_ptr: 'www.example.com' }))
  },
  async 'floating_ips/change_protection'(world) {
    const id = await makeFloatingIp(world)
    return act((api) => api.post(`/floating_ips/${id}/actions/change_protection`, { delete: true }))
  },
}
