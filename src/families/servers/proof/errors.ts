import {
  conflict,
  done,
  type ErrorScenario,
  type ErrorScenarios,
  lacking,
  type Stage,
  takenName,
  takenTwice,
  unique,
} from '../../../../test/kit/proof.ts'
import { bigger, makeServer, newServer, off, prepare, privateOnly, serverBody } from './samples.ts'

/** Asks for something that changes a server's power while the last such request is still being met. */
const locked = (path: string, body?: object): ErrorScenario => {
  return async (stage) => {
    const id = await makeServer(stage)
    await done(stage.api.post(`/servers/${id}/actions/poweroff`))
    return path === '' ? stage.api.delete(`/servers/${id}`) : stage.api.post(`/servers/${id}/actions/${path}`, body)
  }
}

/** Starts a server that is in no network. */
const unconnected = (action: string): ErrorScenario => {
  return async (stage) => stage.api.post(`/servers/${await makeServer(stage, privateOnly)}/actions/${action}`)
}

async function makeProtected(stage: Stage): Promise<number> {
  const id = await makeServer(stage)
  await done(stage.api.post(`/servers/${id}/actions/change_protection`, { delete: true, rebuild: true }))
  return id
}

export const errors: ErrorScenarios = {
  'servers.create': {
    uniqueness_error: takenTwice('/servers', () => serverBody(unique('server'))),
    async resource_unavailable({ open }) {
      const { api } = await open({ addressPool: ['192.0.2.1/32', '2001:db8::/64'], runActions: false })
      await newServer(api, unique('server'))
      return api.post('/servers', serverBody(unique('server')))
    },
  },
  'servers.update': {
    uniqueness_error: takenName('servers', prepare),
    conflict: conflict('servers', 'server', prepare),
  },
  'servers.remove': {
    locked: locked(''),
    protected: async (stage) => stage.api.delete(`/servers/${await makeProtected(stage)}`),
  },
  'servers.createImage': { locked: locked('create_image', {}) },
  'servers.rebuild': {
    locked: locked('rebuild', { image: 'debian-13' }),
    protected: async (stage) =>
      stage.api.post(`/servers/${await makeProtected(stage)}/actions/rebuild`, { image: 'debian-13' }),
  },
  'servers.disableBackup': { locked: locked('disable_backup') },
  'servers.powerOn': { locked: locked('poweron'), invalid_input: unconnected('poweron') },
  'servers.powerOff': { locked: locked('poweroff') },
  'servers.shutDown': { locked: locked('shutdown') },
  'servers.reboot': { locked: locked('reboot'), invalid_input: unconnected('reboot') },
  'servers.reset': { locked: locked('reset'), invalid_input: unconnected('reset') },
  'servers.changeType': {
    locked: locked('change_type', bigger),
    server_not_stopped: async (stage) =>
      stage.api.post(`/servers/${await makeServer(stage)}/actions/change_type`, bigger),
    invalid_server_type: async (stage) =>
      stage.api.post(`/servers/${await makeServer(stage, off)}/actions/change_type`, {
        ...bigger,
        server_type: 'cax21',
      }),
  },
  'servers.enableRescue': {
    locked: locked('enable_rescue', {}),
    unsupported_error: lacking('rescue', async (world) => {
      return [`/servers/${await makeServer(world)}/actions/enable_rescue`, {}]
    }),
  },
  'servers.disableRescue': { locked: locked('disable_rescue') },
  'servers.requestConsole': {
    service_error: async (stage) => stage.api.post(`/servers/${await makeServer(stage, off)}/actions/request_console`),
    unsupported_error: lacking('console', async (world) => {
      return [`/servers/${await makeServer(world)}/actions/request_console`]
    }),
  },
  'servers.resetPassword': {
    locked: locked('reset_password'),
    service_error: async (stage) => stage.api.post(`/servers/${await makeServer(stage, off)}/actions/reset_password`),
  },
}
