import { type Answer, testClock, type World } from '../../../../test/kit/harness.ts'
import {
  conflict,
  done,
  type ErrorScenario,
  type ErrorScenarios,
  overLimit,
  type Stage,
  takenName,
  takenTwice,
  unique,
} from '../../../../test/kit/proof.ts'
import { serverBody } from '../../servers/proof.ts'
import { body, makeAssigned, makePrimaryIp, makeStopped, prepare, to, withIpv4 } from './samples.ts'

/** Asks for an address for a server: with a new Primary IP, or by assigning one that there is. */
const forServer = (
  ask: 'create' | 'assign',
  prepareServer: (stage: Stage) => Promise<number>,
  type = 'ipv4',
): ErrorScenario => {
  return async (stage) => {
    const server = await prepareServer(stage)
    if (ask === 'create') return stage.api.post('/primary_ips', body({ type, assignee_id: server }))
    const id = await makePrimaryIp(stage, { type, location: 'hel1' })
    return stage.api.post(`/primary_ips/${id}/actions/assign`, to(server))
  }
}

const running = (stage: Stage) => makeStopped(stage, { start_after_create: true })

async function starting(stage: Stage): Promise<number> {
  const id = await makeStopped(stage)
  await done(stage.api.post(`/servers/${id}/actions/poweron`))
  return id
}

const whatServersRefuse = (ask: 'create' | 'assign') => ({
  server_not_stopped: forServer(ask, running),
  server_has_ipv4: forServer(ask, (stage) => makeStopped(stage, withIpv4)),
  server_has_ipv6: forServer(ask, (stage) => makeStopped(stage, withIpv4), 'ipv6'),
})

/** Deletes one of a running server on the last day on which it was unassigned on the way. */
const deleteFromRunning: ErrorScenario = async ({ open }) => {
  const world = await open({ clock: testClock('2026-04-30T00:00:00Z') })
  const { id, server } = await makeAssigned(world)
  await done(world.api.post(`/servers/${server}/actions/poweron`))
  await world.settle()
  return world.api.delete(`/primary_ips/${id}`)
}

/** Asks for a new server with a Primary IP that is there. */
async function serverWith({ api }: World, id: number, options: object = {}): Promise<Answer> {
  const given = { location: 'hel1', public_net: { ipv4: id }, ...options }
  return api.post('/servers', serverBody(unique('server'), given))
}

export const errors: ErrorScenarios = {
  'servers.create': {
    primary_ip_assigned: async (stage) => serverWith(stage, (await makeAssigned(stage)).id),
    primary_ip_datacenter_mismatch: async (stage) =>
      serverWith(stage, await makePrimaryIp(stage, { location: 'nbg1' })),
    primary_ip_version_mismatch: async (stage) =>
      serverWith(stage, await makePrimaryIp(stage, { type: 'ipv6', location: 'hel1' })),
  },
  'primary_ips.create': {
    uniqueness_error: takenTwice('/primary_ips', () => ({ ...body(), type: 'ipv6' })),
    async unavailable({ open }) {
      const { api } = await open({ addressPool: ['2001:db8::/32'], runActions: false })
      return api.post('/primary_ips', body())
    },
    resource_limit_exceeded: overLimit('primary_ips', '/primary_ips', body),
    locked: forServer('create', starting),
    ...whatServersRefuse('create'),
  },
  'primary_ips.update': {
    uniqueness_error: takenName('primary_ips', prepare),
    conflict: conflict('primary_ips', 'primary_ip', prepare),
  },
  'primary_ips.remove': {
    async locked(stage) {
      const { id } = await makeAssigned(stage)
      await done(stage.api.post(`/primary_ips/${id}/actions/unassign`))
      return stage.api.delete(`/primary_ips/${id}`)
    },
    async protected(stage) {
      const id = await makePrimaryIp(stage)
      await done(stage.api.post(`/primary_ips/${id}/actions/change_protection`, { delete: true }))
      return stage.api.delete(`/primary_ips/${id}`)
    },
    must_be_unassigned: async (stage) => stage.api.delete(`/primary_ips/${(await makeAssigned(stage)).id}`),
    server_not_stopped: deleteFromRunning,
  },
  'primary_ips.assign': {
    locked: async (stage) => {
      const server = await makeStopped(stage)
      const id = await makePrimaryIp(stage)
      await done(stage.api.post(`/servers/${server}/actions/poweron`))
      return stage.api.post(`/primary_ips/${id}/actions/assign`, to(server))
    },
    async primary_ip_already_assigned(stage) {
      const { id } = await makeAssigned(stage)
      return stage.api.post(`/primary_ips/${id}/actions/assign`, to(await makeStopped(stage)))
    },
    async primary_ip_location_mismatch(stage) {
      const id = await makePrimaryIp(stage, { location: 'nbg1' })
      return stage.api.post(`/primary_ips/${id}/actions/assign`, to(await makeStopped(stage)))
    },
    ...whatServersRefuse('assign'),
  },
  'primary_ips.unassign': {
    async locked(stage) {
      const { id } = await makeAssigned(stage)
      await done(stage.api.post(`/primary_ips/${id}/actions/unassign`))
      return stage.api.post(`/primary_ips/${id}/actions/unassign`)
    },
    service_error: async (stage) => stage.api.post(`/primary_ips/${await makePrimaryIp(stage)}/actions/unassign`),
    async server_not_stopped(stage) {
      const { id, server } = await makeAssigned(stage)
      await done(stage.api.post(`/servers/${server}/actions/poweron`))
      await stage.settle()
      return stage.api.post(`/primary_ips/${id}/actions/unassign`)
    },
  },
}
