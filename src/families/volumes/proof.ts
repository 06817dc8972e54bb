import assert from 'node:assert/strict'
import {
  keyOf,
  named,
  namedState,
  protects,
  removes,
  renames,
  showsNamed,
  showsProtected,
  when,
} from '../../../test/kit/crash.ts'
import type { World } from '../../../test/kit/harness.ts'
import {
  act,
  agree,
  anyLabels,
  anyName,
  anyProtection,
  anyRename,
  conflict,
  done,
  lacking,
  noBody,
  overLimit,
  type Proof,
  rename,
  type Samples,
  type Stage,
  takenName,
  takenTwice,
  unique,
} from '../../../test/kit/proof.ts'
import type { SpecRows } from '../../../test/walks/spec/rows.ts'
import { acrossProjects } from '../../kernel/data/scoped.ts'
import { createAgain, makeServer, serverBody } from '../servers/proof.ts'
import { maxVolumesOfServer } from './domain.ts'

/** The body of a request for a volume in the location of servers that name none. */
export const volumeBody = (options: object = { location: 'fsn1' }) => ({ name: unique('volume'), size: 10, ...options })

/** Creates a volume and returns its id, at rest. */
export async function makeVolume({ api, settle }: World, options?: object): Promise<number> {
  const { volume } = await done(api.post('/volumes', volumeBody(options)))
  await settle()
  return volume.id
}

async function makeAttached(world: World): Promise<number> {
  return makeVolume(world, { server: await makeServer(world) })
}

const prepare: Samples['prepare'] = async ({ api, settle }) => {
  const { volume, action } = await done(api.post('/volumes', volumeBody()))
  await settle()
  return { id: volume.id, actionId: action.id }
}

const samples: Samples = {
  prepare,
  requests: {
    create: () => ({ body: volumeBody() }),
    update: rename('volume'),
    attach: async (world) => ({ body: { server: await makeServer(world) } }),
    detach: async (world) => ({ target: { id: await makeAttached(world) } }),
    resize: () => ({ body: { size: 20 } }),
    changeProtection: () => ({ body: { delete: true } }),
  },
}

// ---- Errors --------------------------------------------------------------------------------------------------------

async function makeFullServer(world: World): Promise<number> {
  const server = await makeServer(world)
  for (let i = 0; i < maxVolumesOfServer; i++) await makeVolume(world, { server })
  return server
}

/** A server that is busy with something else. */
async function makeBusyServer(stage: Stage): Promise<number> {
  const server = await makeServer(stage)
  await done(stage.api.post(`/servers/${server}/actions/poweroff`))
  return server
}

const errors: Proof['errors'] = {
  'volumes.create': {
    uniqueness_error: takenTwice('/volumes', () => volumeBody()),
    resource_limit_exceeded: overLimit('volumes', '/volumes', () => volumeBody()),
    locked: async (stage) => stage.api.post('/volumes', volumeBody({ server: await makeBusyServer(stage) })),
    unsupported_error: lacking('block_volumes', async () => ['/volumes', volumeBody()]),
  },
  'servers.create': {
    async locked({ api }) {
      const { volume } = await done(api.post('/volumes', volumeBody()))
      return api.post('/servers', serverBody(unique('server'), { volumes: [volume.id] }))
    },
    async volume_already_attached(stage) {
      const volume = await makeAttached(stage)
      return stage.api.post('/servers', serverBody(unique('server'), { volumes: [volume] }))
    },
  },
  'volumes.update': {
    uniqueness_error: takenName('volumes', prepare),
    conflict: conflict('volumes', 'volume', prepare),
  },
  'volumes.remove': {
    async locked({ api }) {
      const { volume } = await done(api.post('/volumes', volumeBody()))
      return api.delete(`/volumes/${volume.id}`)
    },
    async protected(stage) {
      const id = await makeVolume(stage)
      await done(stage.api.post(`/volumes/${id}/actions/change_protection`, { delete: true }))
      return stage.api.delete(`/volumes/${id}`)
    },
    service_error: async (stage) => stage.api.delete(`/volumes/${await makeAttached(stage)}`),
  },
  'volumes.attach': {
    async locked(stage) {
      const id = await makeVolume(stage)
      return stage.api.post(`/volumes/${id}/actions/attach`, { server: await makeBusyServer(stage) })
    },
    async volume_already_attached(stage) {
      const server = await makeServer(stage)
      const id = await makeVolume(stage, { server })
      return stage.api.post(`/volumes/${id}/actions/attach`, { server })
    },
    async resource_limit_exceeded(stage) {
      const server = await makeFullServer(stage)
      return stage.api.post(`/volumes/${await makeVolume(stage)}/actions/attach`, { server })
    },
  },
  'volumes.detach': {
    async locked({ api, settle, ...world }) {
      const { volume } = await done(
        api.post('/volumes', volumeBody({ server: await makeServer({ api, settle, ...world }) })),
      )
      return api.post(`/volumes/${volume.id}/actions/detach`)
    },
    service_error: async (stage) => stage.api.post(`/volumes/${await makeVolume(stage)}/actions/detach`),
  },
  'volumes.resize': {
    async locked(stage) {
      const id = await makeVolume(stage)
      await done(stage.api.post(`/volumes/${id}/actions/resize`, { size: 20 }))
      return stage.api.post(`/volumes/${id}/actions/resize`, { size: 30 })
    },
  },
}

// ---- Actions -------------------------------------------------------------------------------------------------------

const actions: Proof['actions'] = {
  async 'volumes/create_volume'(world) {
    const server = await makeServer(world)
    return act((api) => api.post('/volumes', volumeBody({ server })))
  },
  async 'volumes/attach_volume'(world) {
    const id = await makeVolume(world)
    const server = await makeServer(world)
    return act((api) => api.post(`/volumes/${id}/actions/attach`, { server, automount: true }))
  },
  async 'volumes/detach_volume'(world) {
    const id = await makeAttached(world)
    return act((api) => api.post(`/volumes/${id}/actions/detach`))
  },
  async 'volumes/resize_volume'(world) {
    const id = await makeVolume(world)
    return act((api) => api.post(`/volumes/${id}/actions/resize`, { size: 20 }))
  },
  async 'volumes/change_protection'(world) {
    const id = await makeVolume(world)
    return act((api) => api.post(`/volumes/${id}/actions/change_protection`, { delete: true }))
  },
  async 'servers/create_server with a volume'(world) {
    return createAgain(world, { volumes: [await makeVolume(world)] })
  },
  async 'servers/delete_server with a volume'(world) {
    const server = await makeServer(world, { volumes: [await makeVolume(world)] })
    return act((api) => api.delete(`/servers/${server}`))
  },
  async 'volumes/delete_volume'(world) {
    let next: number | undefined = await makeVolume(world)
    return {
      async act(api) {
        // One that the infrastructure kept is deleted all the same: the next time takes another one.
        const id = next ?? (await makeVolume(world))
        next = undefined
        await done(api.delete(`/volumes/${id}`))
        const removals = acrossProjects(world.db.query)
          .selectFrom('action')
          .select(['id', 'input'])
          .where('definition', '=', 'volumes/delete_volume')
        const rows = (await removals.execute()).filter(({ input }) => JSON.parse(input).volume === id)
        return rows.map((row) => ({ id: row.id, subjects: [id] }))
      },
    }
  },
}

// ---- What must add up ----------------------------------------------------------------------------------------------

const consistency: Proof['consistency'] = {
  resources: 'volume',
  belongs: [
    ['volume', 'server_id', 'server'],
    ['volume_attachment', 'id', 'server'],
  ],
  async rows(found) {
    const all = await found.all('volume')
    for (const { id, status, server_id: server, automount } of all) {
      assert.equal(status, 'available', `volume ${id} rests`)
      assert.ok(server !== null || automount === 0, `volume ${id} is mounted by no server`)
    }
    for (const [server, some] of Map.groupBy(all, (row) => row.server_id)) {
      assert.ok(server === null || some.length <= maxVolumesOfServer, `server ${server} has ${some.length} volumes`)
    }
  },
  /** I6, I10: each volume is out there in its size, and attached to its server and nowhere else. */
  async world(found, { simulation: { world } }) {
    const all = await found.all('volume')
    // What a deletion could not remove is still to be removed.
    const leaving = new Set((await found.all('volume_state')).map(({ id }) => id))
    for (const { id, size, format, location } of all) {
      const state = world.volumes.get(id)
      assert.deepEqual(
        [state?.sizeGb, state?.format, state?.location],
        [size, format, location],
        `volume ${id} is out there`,
      )
    }
    for (const id of world.volumes.keys()) assert.ok(leaving.has(id), `I10: volume ${id} is out there without an owner`)
    const wanted = all.filter((row) => row.server_id !== null)
    const actual = [...world.attachments.values()].flatMap(({ serverId, volumes }) =>
      volumes.map(({ id, automount }) => `${id} to ${serverId} ${automount ? 1 : 0}`),
    )
    assert.deepEqual(
      actual.sort(),
      wanted.map((row) => `${row.id} to ${row.server_id} ${row.automount}`).sort(),
      'I6: which server has which volume',
    )
  },
  shown: (api) =>
    agree(api, ['servers', ({ volumes }) => volumes], ['volumes', ({ server }) => (server === null ? [] : [server])]),
}

// ---- Random requests -----------------------------------------------------------------------------------------------

const traffic: Proof['traffic'] = {
  kind: 'volume',
  requests: {
    'POST /volumes': async (draw) => {
      const size = 10 + draw.number(3) * 10
      const place = draw.number(2) === 0 ? { location: 'fsn1' } : { server: (await draw.any('servers')).id }
      return { name: anyName('v', draw), labels: anyLabels(draw), size, ...place }
    },
    'PUT /volumes/{volumes}': anyRename('v'),
    'DELETE /volumes/{volumes}': noBody,
    'POST /volumes/{volumes}/actions/attach': async ({ any, number }) => ({
      server: (await any('servers')).id,
      automount: number(2) === 0,
    }),
    'POST /volumes/{volumes}/actions/detach': noBody,
    'POST /volumes/{volumes}/actions/resize': ({ number }) => ({ size: 20 + number(5) * 10 }),
    'POST /volumes/{volumes}/actions/change_protection': anyProtection,
  },
  adds: { 'POST /servers': async ({ any }) => ({ volumes: [(await any('volumes')).id] }) },
}

// ---- Rows of the contract ------------------------------------------------------------------------------------------

const spec: SpecRows = {
  sentences: [
    {
      section: 'Volume',
      says: 'A volume is creating until create_volume succeeds, and has the device that its id names',
      tests: ['volumes.test.ts: one in a location is creating, then available, with exactly the documented fields'],
    },
    {
      section: 'Volumes',
      says: 'With a server it lands in its location and attach_volume follows; else next_actions is empty',
      tests: [
        'volumes.test.ts: one in a location is creating, then available, with exactly the documented fields',
        'volumes.test.ts: with a server it takes its location and is attached by a next action',
        'volumes.test.ts: it needs exactly one of server and location, and both by what the Project and the catalogue have',
      ],
    },
    {
      section: 'Volumes',
      says: 'Attaching needs a server in the same location that is not busy and has fewer than 16, and a volume without one',
      tests: [
        'volumes.test.ts: it is attached to one server of its location at a time',
        'volumes.test.ts: a server has at most 16, also when requests race',
        'volumes.test.ts: a server that is busy is 423, a volume that is busy too',
      ],
    },
    {
      section: 'Servers',
      says: 'A server gets the volumes that its request names before it starts, all of them or no server',
      tests: [
        'volumes.test.ts: a new server has the volumes that it was requested with before it starts',
        'volumes.test.ts: a server that asks for volumes that it cannot have is not begun',
        'volumes.test.ts: a server that could not be made gives its volumes back',
      ],
    },
    {
      section: 'Volumes',
      says: 'Resizing is upward only and keeps the id',
      tests: ['volumes.test.ts: it only grows'],
    },
    {
      section: 'Volumes',
      says: 'What is attached or protected is not deleted; deleting a server detaches its volumes and keeps them',
      tests: [
        'volumes.test.ts: one that is attached or protected is not deleted, and one that is deleted is removed',
        'volumes.test.ts: it outlives its server, detached',
      ],
    },
    {
      section: 'Volumes',
      says: 'A change that fails is taken back',
      tests: [
        'volumes.test.ts: a failed creation leaves nothing behind, and what waited for it fails too',
        'volumes.test.ts: a failed attachment, detachment or resize leaves it as it was, unlocked',
      ],
    },
  ],
}

// ---- Writes under kill -9 ------------------------------------------------------------------------------------------

const crash: Proof['crash'] = {
  shows: {
    volumes: (volume) => ({
      ...showsNamed(volume),
      status: volume.status,
      size: `${volume.size}`,
      server: keyOf('servers', volume.server),
      ...showsProtected(volume),
    }),
  },
  writes: {
    'POST /volumes': (draw) => {
      const server = draw.oneOf([false, true]) ? draw.any('servers') : undefined
      const place = server ? { server: server.id } : { location: 'fsn1' }
      const makes = { status: 'available', size: '10', server: server?.key ?? '', protected: 'no' }
      return {
        body: { ...named(draw), size: 10, ...place },
        makes: { ...namedState(draw), ...makes },
        later: ['status'],
      }
    },
    'PUT /volumes/{volumes}': renames,
    'DELETE /volumes/{volumes}': when(({ server }) => !server, removes),
    'POST /volumes/{volumes}/actions/attach': when(
      ({ server }) => !server,
      ({ any }) => {
        const { id, key } = any('servers')
        return { body: { server: id }, to: { server: key } }
      },
    ),
    'POST /volumes/{volumes}/actions/detach': when(
      ({ server }) => Boolean(server),
      () => ({ to: { server: '' } }),
    ),
    'POST /volumes/{volumes}/actions/resize': (_, { state }) => {
      const size = Number(state.size) + 10
      return { body: { size }, to: { size: `${size}` } }
    },
    'POST /volumes/{volumes}/actions/change_protection': protects,
  },
}

export const proof: Proof = {
  samples,
  references: {
    'servers.create volumes': {
      family: 'volumes',
      body: (id) => serverBody(unique('server'), { volumes: [id] }),
    },
    'volumes.create': { family: 'servers', body: (server) => volumeBody({ server }) },
    'volumes.attach': { family: 'servers', body: (server) => ({ server }) },
  },
  errors,
  actions,
  consistency,
  traffic,
  crash,
  spec,
}
