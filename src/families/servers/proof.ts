import assert from 'node:assert/strict'
import {
  type CrashRow,
  named,
  namedState,
  removes,
  renames,
  type State,
  showsNamed,
  when,
  yesOrNo,
} from '../../../test/kit/crash.ts'
import type { Answer, Client, World } from '../../../test/kit/harness.ts'
import {
  type ActionScenario,
  act,
  anyLabels,
  anyName,
  anyRename,
  conflict,
  done,
  type ErrorScenario,
  lacking,
  noBody,
  type Proof,
  rename,
  type Samples,
  type Stage,
  takenName,
  takenTwice,
  unique,
} from '../../../test/kit/proof.ts'
import { backupSlots } from '../images/domain.ts'

/** The body of a request for a server. */
export function serverBody(name: string, options: object = {}) {
  return { name, server_type: 'cpx22', image: 'debian-12', ...options }
}

/** Creates a server and returns its id; the actions run when the world runs them. */
export async function newServer(api: Client, name: string, options: object = {}): Promise<number> {
  return (await done(api.post('/servers', serverBody(name, options)))).server.id
}

/** A server under a name of its own, at rest. */
export async function makeServer({ api, settle }: World, options: object = {}): Promise<number> {
  const id = await newServer(api, unique('server'), options)
  await settle()
  return id
}

/** A server as it is shown. */
export async function serverOf(api: Client, id: number): Promise<Answer['body']> {
  return (await done(api.get(`/servers/${id}`))).server
}

/** Asks for an action of a server. */
export function command(api: Client, id: number, action: string, body?: unknown): Promise<Answer> {
  return api.post(`/servers/${id}/actions/${action}`, body)
}

/** A server without any network, which nothing can reach. */
export const privateOnly = { public_net: { enable_ipv4: false, enable_ipv6: false }, start_after_create: false }

const off = { start_after_create: false }

/** Changes the type of the servers made here. */
const bigger = { server_type: 'cpx32', upgrade_disk: true }

const prepare: Samples['prepare'] = async ({ api, settle }) => {
  const { server, action } = await done(api.post('/servers', serverBody(unique('server'))))
  await settle()
  return { id: server.id, actionId: action.id }
}

// ---- Errors --------------------------------------------------------------------------------------------------------

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

const errors: Proof['errors'] = {
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

// ---- Actions -------------------------------------------------------------------------------------------------------

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

const actions: Proof['actions'] = {
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

// ---- What must add up ----------------------------------------------------------------------------------------------

const consistency: Proof['consistency'] = {
  resources: 'server',
  async rows(found) {
    assert.deepEqual(await found.all('server_former'), [], 'I10: no server remembers what it cannot go back to')
    const images = await found.all('image')
    for (const { id, backup_window: window } of await found.all('server')) {
      const backups = images.filter((image) => image.bound_to === id)
      assert.ok(backups.length <= (window === null ? 0 : backupSlots), `server ${id} has ${backups.length} backups`)
    }
  },
  /** I6, and the power and the disk of each server. */
  async world(found, { simulation: { world } }) {
    const [servers, primaryIps] = [await found.all('server'), await found.all('primary_ip')]
    const ids = new Set<number>(servers.map(({ id }) => id))
    for (const id of world.servers.keys()) assert.ok(ids.has(id), `I10: server ${id} is out there without an owner`)
    for (const server of servers) {
      const { id, status, power, power_in_force: inForce, image, installation, iso } = server
      assert.ok(status === 'running' || status === 'off', `server ${id} rests, but is ${status}`)
      assert.deepEqual([power, inForce], status === 'running' ? ['on', 'on'] : ['off', 'off'])
      const known = world.servers.get(id)
      assert.ok(known, `server ${id} is out there`)
      assert.equal(known.power, power, `server ${id} has the power that it should have`)
      const disk = [known.state.image, known.state.installation]
      assert.deepEqual(disk, [image, installation], `server ${id} has the disk that it should have`)
      assert.equal(known.state.iso, iso, `server ${id} has the ISO that it should have`)
      const { cores, memoryMb, diskGb, passwordReset } = known.state
      assert.deepEqual(
        [cores, memoryMb, diskGb, passwordReset],
        [server.cores, server.memory_mb, server.primary_disk_size, server.password_reset],
        `server ${id} has the type and the password that it should have`,
      )
      assert.equal(known.system === null, power === 'off')
      if (server.rescue_until !== null) {
        assert.equal(known.state.rescue?.rootPasswordHash, server.rescue_password_hash, `server ${id} may be rescued`)
      }
      const ips = primaryIps.filter((ip) => ip.server_id === id)
      const ipOf = (type: string) => ips.find((ip) => ip.type === type)?.ip ?? null
      assert.deepEqual([known.state.ipv4, known.state.ipv6], [ipOf('ipv4'), ipOf('ipv6')], 'I6: its addresses')
    }
  },
}

// ---- Random requests -----------------------------------------------------------------------------------------------

const nets = [{}, {}, { public_net: { enable_ipv6: false } }, { public_net: { enable_ipv4: false } }, privateOnly]

const traffic: Proof['traffic'] = {
  kind: 'server',
  requests: {
    'POST /servers': (draw) => ({
      ...serverBody(anyName('s', draw), { labels: anyLabels(draw) }),
      start_after_create: draw.number(3) > 0,
      ...draw.oneOf(nets),
    }),
    'PUT /servers/{servers}': anyRename('s'),
    'DELETE /servers/{servers}': noBody,
    'POST /servers/{servers}/actions/poweron': noBody,
    'POST /servers/{servers}/actions/poweroff': noBody,
    'POST /servers/{servers}/actions/shutdown': noBody,
    'POST /servers/{servers}/actions/reboot': noBody,
    'POST /servers/{servers}/actions/reset': noBody,
    'POST /servers/{servers}/actions/rebuild': ({ oneOf }) => ({ image: oneOf(['debian-12', 'debian-13']) }),
    'POST /servers/{servers}/actions/enable_backup': noBody,
    'POST /servers/{servers}/actions/disable_backup': noBody,
    'POST /servers/{servers}/actions/change_type': ({ oneOf, number }) => ({
      server_type: oneOf(['cpx22', 'cpx32']),
      upgrade_disk: number(2) === 0,
    }),
    'POST /servers/{servers}/actions/enable_rescue': () => ({}),
    'POST /servers/{servers}/actions/disable_rescue': noBody,
    'POST /servers/{servers}/actions/reset_password': noBody,
    'POST /servers/{servers}/actions/request_console': noBody,
    'POST /servers/{servers}/actions/change_protection': ({ oneOf }) => {
      const isOn = oneOf([true, false])
      return { delete: isOn, rebuild: isOn }
    },
  },
}

// ---- Writes under kill -9 ------------------------------------------------------------------------------------------

const isOff = ({ power }: State) => power === 'off'
const isRunning = ({ power }: State) => power === 'running'

/** A boot uses up the rescue system. */
const boots = (fits: (state: State) => boolean) =>
  when(fits, () => ({ to: { power: 'running', rescue: 'no' }, later: 'all' }))
const stops = when(
  (state) => !isOff(state),
  () => ({ to: { power: 'off' }, later: 'all' }),
)
/** What a write leaves open that starts the server afterwards if it is in any network. */
export const mayBoot = { power: '?', rescue: '?' }

/** A server that is started, one that is off, or one that cannot be started because nothing could reach it. */
const makesServer: CrashRow = (draw) => {
  const [options, power] = draw.oneOf<[object, string]>([
    [{}, 'running'],
    [off, 'off'],
    [privateOnly, 'off'],
  ])
  const makes = { power, image: 'debian-12', type: 'cpx22', backup: 'no', rescue: 'no', protected: 'no' }
  return {
    body: { ...serverBody(draw.version, options), ...named(draw) },
    makes: { ...namedState(draw), ...makes },
    later: ['power'],
  }
}

const crash: Proof['crash'] = {
  shows: {
    servers: (server) => ({
      ...showsNamed(server),
      power: server.status,
      image: server.image.name,
      type: server.server_type.name,
      backup: yesOrNo(server.backup_window !== null),
      rescue: yesOrNo(server.rescue_enabled),
      protected: yesOrNo(server.protection.delete && server.protection.rebuild),
    }),
  },
  writes: {
    'POST /servers': makesServer,
    'PUT /servers/{servers}': renames,
    'DELETE /servers/{servers}': (draw, target) => {
      const write = removes(draw, target)
      return write && { ...write, later: 'all' }
    },
    'POST /servers/{servers}/actions/poweron': boots(isOff),
    'POST /servers/{servers}/actions/poweroff': stops,
    'POST /servers/{servers}/actions/shutdown': stops,
    'POST /servers/{servers}/actions/reboot': boots(isRunning),
    'POST /servers/{servers}/actions/reset': boots(isRunning),
    'POST /servers/{servers}/actions/rebuild': when(
      (state) => state.protected === 'no',
      (_, { state }) => {
        const image = state.image === 'debian-12' ? 'debian-13' : 'debian-12'
        return { body: { image }, to: { image, ...mayBoot }, later: 'all' }
      },
    ),
    'POST /servers/{servers}/actions/enable_backup': () => ({ to: { backup: 'yes' } }),
    // It deletes the backups that there are.
    'POST /servers/{servers}/actions/disable_backup': ({ has }, { key }) =>
      has('images', (image) => image.with === key) ? undefined : { to: { backup: 'no' } },
    'POST /servers/{servers}/actions/change_type': when(isOff, (_, { state }) => {
      const type = state.type === 'cpx22' ? 'cpx32' : 'cpx22'
      return { body: { server_type: type, upgrade_disk: false }, to: { type, ...mayBoot }, later: 'all' }
    }),
    'POST /servers/{servers}/actions/enable_rescue': () => ({ body: {}, to: { rescue: 'yes' } }),
    'POST /servers/{servers}/actions/disable_rescue': () => ({ to: { rescue: 'no' } }),
    'POST /servers/{servers}/actions/reset_password': when(isRunning, () => ({})),
    'POST /servers/{servers}/actions/request_console': when(isRunning, () => ({})),
    'POST /servers/{servers}/actions/change_protection': (_, { state }) => {
      const isOn = state.protected === 'no'
      return { body: { delete: isOn, rebuild: isOn }, to: { protected: yesOrNo(isOn) } }
    },
  },
}

export const proof: Proof = {
  samples: {
    prepare,
    requests: {
      create: () => ({ body: serverBody(unique('server')) }),
      update: rename('server'),
      createImage: () => ({ body: { description: 'a copy' } }),
      rebuild: () => ({ body: { image: 'debian-13' } }),
      metrics: () => ({ query: 'type=cpu&start=2026-11-21T00:00:00Z&end=2026-11-22T00:00:00Z' }),
      changeType: async (world) => ({ target: { id: await makeServer(world, off) }, body: bigger }),
      enableRescue: () => ({ body: {} }),
      changeProtection: () => ({ body: { delete: true, rebuild: true } }),
      attachIso: () => ({ body: { iso: 8637 } }),
      async addToPlacementGroup(world) {
        const id = await makeServer(world, { start_after_create: false })
        const group = { name: unique('group'), type: 'spread' }
        const { placement_group } = await done(world.api.post('/placement_groups', group))
        return { target: { id }, body: { placement_group: placement_group.id } }
      },
    },
  },
  errors,
  actions,
  consistency,
  traffic,
  crash,
}
