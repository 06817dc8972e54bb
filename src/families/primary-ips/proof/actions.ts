import { type ActionScenarios, act } from '../../../../test/kit/proof.ts'
import { ipOf, makeAssigned, makePrimaryIp, makeStopped, to } from './samples.ts'

export const actions: ActionScenarios = {
  async 'primary_ips/assign_primary_ip'(world) {
    const id = await makePrimaryIp(world)
    const server = await makeStopped(world)
    return act((api) => api.post(`/primary_ips/${id}/actions/assign`, to(server)))
  },
  async 'primary_ips/unassign_primary_ip'(world) {
    const { id } = await makeAssigned(world)
    return act((api) => api.post(`/primary_ips/${id}/actions/unassign`))
  },
  async 'primary_ips/change_dns_ptr'(world) {
    const id = await makePrimaryIp(world)
    const ip = await ipOf(world, id)
    return act((api) => api.post(`/primary_ips/${id}/actions/change_dns_ptr`, { ip, dns_ptr: 'www.example.com' }))
  },
  async 'primary_ips/change_dns_ptr of a server'(world) {
    const { id, server } = await makeAssigned(world)
    const ip = await ipOf(world, id)
    return act((api) => api.post(`/servers/${server}/actions/change_dns_ptr`, { ip, dns_ptr: 'www.example.com' }))
  },
  async 'primary_ips/change_protection'(world) {
    const id = await makePrimaryIp(world)
    return act((api) => api.post(`/primary_ips/${id}/actions/change_protection`, { delete: true }))
  },
}
