import type { World } from '../../../../test/kit/harness.ts'
import { type ActionScenario, type ActionScenarios, act, done, unique } from '../../../../test/kit/proof.ts'
import { bigger, makeServer, off, serverBody } from './samples.ts'

/** Creates a server again and again: one that was created but not started goes first. */
export function createAgain(world: World, options: object = {}) {
  const body = serverBody(unique('server'), options)
  return act(async (api) => {
    for (const { id } of (await done(api.get(`/servers?name=${body.name}`))).servers) {
      await done(api.delete(`/servers/${id}`))
      await world.settle()
    }
    return api.post('/servers', body)
  })
}

/** An action of a running server. */
const onServer = (path: string, body?: object): ActionScenario => {
  return async (world) => {
    const id = await makeServer(world)
    return act((api) => api.post(`/servers/${id}/actions/${path}`, body))
  }
}

export const actions: ActionScenarios = {
  'servers/create_server': async (world) => createAgain(world),
  async 'servers/start_server'(world) {
    const id = await makeServer(world, { start_after_create: false })
    return act((api) => api.post(`/servers/${id}/actions/poweron`))
  },
  'servers/stop_server': onServer('poweroff'),
  'servers/shutdown_server': onServer('shutdown'),
  'servers/reboot_server': onServer('reboot'),
  'servers/reset_server': onServer('reset'),
  async 'servers/delete_server'(world) {
    const id = await makeServer(world)
    return act((api) => api.delete(`/servers/${id}`))
  },
  'servers/change_protection': onServer('change_protection', { delete: true, rebuild: true }),
  'servers/create_image': onServer('create_image', {}),
  'servers/rebuild_server': onServer('rebuild', { image: 'debian-13' }),
  async 'servers/change_server_type'(world) {
    const id = await makeServer(world, off)
    return act(async (api) => {
      const { server } = await done(api.get(`/servers/${id}`))
      if (server.status !== 'off') {
        await done(api.post(`/servers/${id}/actions/poweroff`))
        await world.settle()
      }
      return api.post(`/servers/${id}/actions/change_type`, bigger)
    })
  },
  'servers/enable_rescue': onServer('enable_rescue', {}),
  async 'servers/disable_rescue'(world) {
    const id = await makeServer(world)
    await done(world.api.post(`/servers/${id}/actions/enable_rescue`, {}))
    await world.settle()
    return act((api) => api.post(`/servers/${id}/actions/disable_rescue`))
  },
  'servers/reset_password': onServer('reset_password'),
  'servers/request_console': onServer('request_console'),
  async 'servers/reset_server into the rescue system'(world) {
    const id = await makeServer(world)
    await done(world.api.post(`/servers/${id}/actions/enable_rescue`, {}))
    await world.settle()
    return act((api) => api.post(`/servers/${id}/actions/reset`))
  },
  'servers/enable_backup': onServer('enable_backup'),
  'servers/disable_backup': onServer('disable_backup'),
}
