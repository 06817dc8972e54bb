import {
  conflict,
  done,
  type ErrorScenarios,
  overLimit,
  takenName,
  takenTwice,
  unique,
} from '../../../../test/kit/proof.ts'
import { makeServer, newServer } from '../../servers/proof.ts'
import { body, makeAssigned, makeFloatingIp, prepare } from './samples.ts'

export const errors: ErrorScenarios = {
  'floating_ips.create': {
    uniqueness_error: takenTwice('/floating_ips', () => ({ ...body(), type: 'ipv6', name: unique('floating-ip') })),
    async unavailable({ open }) {
      const { api } = await open({ addressPool: ['2001:db8::/32'], runActions: false })
      return api.post('/floating_ips', body())
    },
    resource_limit_exceeded: overLimit('floating_ips', '/floating_ips', body),
  },
  'floating_ips.update': {
    uniqueness_error: takenName('floating_ips', prepare),
    conflict: conflict('floating_ips', 'floating_ip', prepare),
  },
  'floating_ips.remove': {
    async locked(stage) {
      const id = await makeAssigned(stage)
      await done(stage.api.post(`/floating_ips/${id}/actions/unassign`))
      return stage.api.delete(`/floating_ips/${id}`)
    },
    async protected(stage) {
      const id = await makeFloatingIp(stage)
      await done(stage.api.post(`/floating_ips/${id}/actions/change_protection`, { delete: true }))
      return stage.api.delete(`/floating_ips/${id}`)
    },
    must_be_unassigned: async (stage) => stage.api.delete(`/floating_ips/${await makeAssigned(stage)}`),
  },
  'floating_ips.assign': {
    async locked(stage) {
      const id = await makeAssigned(stage)
      await done(stage.api.post(`/floating_ips/${id}/actions/unassign`))
      const server = await newServer(stage.api, unique('server'))
      return stage.api.post(`/floating_ips/${id}/actions/assign`, { server })
    },
    async floating_ip_assigned(stage) {
      const server = await makeServer(stage)
      const id = await makeFloatingIp(stage, { server })
      return stage.api.post(`/floating_ips/${id}/actions/assign`, { server })
    },
  },
  'floating_ips.unassign': {
    async locked(stage) {
      const id = await makeAssigned(stage)
      const server = await makeServer(stage)
      await done(stage.api.post(`/floating_ips/${id}/actions/assign`, { server }))
      return stage.api.post(`/floating_ips/${id}/actions/unassign`)
    },
    service_error: async (stage) => stage.api.post(`/floating_ips/${await makeFloatingIp(stage)}/actions/unassign`),
  },
}
