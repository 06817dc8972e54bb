import assert from 'node:assert/strict'
import { keyOf, named, namedState, removes, renames, showsNamed, when } from '../../../test/kit/crash.ts'
import type { World } from '../../../test/kit/harness.ts'
import {
  act,
  agree,
  anyLabels,
  anyName,
  anyRename,
  conflict,
  type Draw,
  done,
  noBody,
  overLimit,
  type Proof,
  rename,
  type Samples,
  takenName,
  takenTwice,
  unique,
} from '../../../test/kit/proof.ts'
import { createAgain, makeServer, mayBoot, newServer, privateOnly, serverBody } from '../servers/proof.ts'
import { maxMembers } from './domain.ts'

const body = () => ({ name: unique('group'), type: 'spread' })

const makeGroup = async ({ api }: Pick<World, 'api'>): Promise<number> =>
  (await done(api.post('/placement_groups', body()))).placement_group.id

const prepare: Samples['prepare'] = async (world) => ({ id: await makeGroup(world) })

const isOff = { start_after_create: false }

async function makeFullGroup(world: World): Promise<number> {
  const id = await makeGroup(world)
  for (let i = 0; i < maxMembers; i++)
    await newServer(world.api, unique('server'), { ...privateOnly, placement_group: id })
  await world.settle()
  return id
}

// ---- Errors --------------------------------------------------------------------------------------------------------

const errors: Proof['errors'] = {
  'placement_groups.create': {
    uniqueness_error: takenTwice('/placement_groups', body),
    resource_limit_exceeded: overLimit('placement_groups', '/placement_groups', body),
  },
  'placement_groups.update': {
    uniqueness_error: takenName('placement_groups', prepare),
    conflict: conflict('placement_groups', 'placement_group', prepare),
  },
  'placement_groups.remove': {
    async conflict(stage) {
      const id = await makeGroup(stage)
      const more = { ...privateOnly, placement_group: id }
      stage.meet('update/placement_group:before-write', () => newServer(stage.api, unique('server'), more))
      return stage.api.delete(`/placement_groups/${id}`)
    },
  },
  'servers.create': {
    async placement_group_member_limit_reached(stage) {
      const placement_group = await makeFullGroup(stage)
      return stage.api.post('/servers', serverBody(unique('server'), { placement_group }))
    },
  },
  'servers.addToPlacementGroup': {
    async locked(stage) {
      const id = await newServer(stage.api, unique('server'), isOff)
      return stage.api.post(`/servers/${id}/actions/add_to_placement_group`, {
        placement_group: await makeGroup(stage),
      })
    },
    async server_not_stopped(stage) {
      const id = await makeServer(stage)
      return stage.api.post(`/servers/${id}/actions/add_to_placement_group`, {
        placement_group: await makeGroup(stage),
      })
    },
    async placement_group_member_limit_reached(stage) {
      const placement_group = await makeFullGroup(stage)
      const id = await makeServer(stage, isOff)
      return stage.api.post(`/servers/${id}/actions/add_to_placement_group`, { placement_group })
    },
  },
  'servers.removeFromPlacementGroup': {
    async locked(stage) {
      const id = await newServer(stage.api, unique('server'), { placement_group: await makeGroup(stage) })
      return stage.api.post(`/servers/${id}/actions/remove_from_placement_group`)
    },
  },
}

// ---- Actions -------------------------------------------------------------------------------------------------------

const actions: Proof['actions'] = {
  async 'servers/add_to_placement_group'(world) {
    const [id, placement_group] = [await makeServer(world, isOff), await makeGroup(world)]
    return act((api) => api.post(`/servers/${id}/actions/add_to_placement_group`, { placement_group }))
  },
  async 'servers/remove_from_placement_group'(world) {
    const id = await makeServer(world, { placement_group: await makeGroup(world) })
    return act((api) => api.post(`/servers/${id}/actions/remove_from_placement_group`))
  },
  'servers/create_server in a placement group': async (world) =>
    createAgain(world, { placement_group: await makeGroup(world) }),
}

// ---- What must add up ----------------------------------------------------------------------------------------------

const consistency: Proof['consistency'] = {
  resources: 'placement_group',
  belongs: [
    ['placement_group_member', 'placement_group_id', 'placement_group'],
    ['placement_group_member', 'server_id', 'server'],
  ],
  async rows(found) {
    const groups = Map.groupBy(await found.all('placement_group_member'), (row) => row.placement_group_id)
    for (const [id, members] of groups) {
      assert.ok(members.length <= maxMembers, `placement group ${id} has ${members.length} members`)
    }
  },
  shown: (api) =>
    agree(
      api,
      ['servers', ({ placement_group: group }) => (group === null ? [] : [group.id])],
      ['placement_groups', ({ servers }) => servers],
    ),
}

// ---- Random requests -----------------------------------------------------------------------------------------------

const group = async ({ any }: Draw) => ({ placement_group: (await any('placement_groups')).id })

const traffic: Proof['traffic'] = {
  kind: 'placement_group',
  requests: {
    'POST /placement_groups': (draw) => ({ name: anyName('g', draw), labels: anyLabels(draw), type: 'spread' }),
    'PUT /placement_groups/{placement_groups}': anyRename('g'),
    'DELETE /placement_groups/{placement_groups}': noBody,
    'POST /servers/{servers}/actions/add_to_placement_group': group,
    'POST /servers/{servers}/actions/remove_from_placement_group': noBody,
  },
  adds: { 'POST /servers': group },
}

// ---- Writes under kill -9 ------------------------------------------------------------------------------------------

const crash: Proof['crash'] = {
  shows: {
    placement_groups: showsNamed,
    servers: ({ placement_group }) => ({ group: keyOf('placement_groups', placement_group?.id) }),
  },
  writes: {
    'POST /placement_groups': (draw) => ({ body: { ...named(draw), type: 'spread' }, makes: namedState(draw) }),
    'PUT /placement_groups/{placement_groups}': renames,
    'DELETE /placement_groups/{placement_groups}': removes,
    'POST /servers/{servers}/actions/add_to_placement_group': when(
      ({ power, group }) => power === 'off' && !group,
      ({ any }) => {
        const { id, key } = any('placement_groups')
        return { body: { placement_group: id }, to: { group: key, ...mayBoot }, later: ['power', 'rescue'] }
      },
    ),
    'POST /servers/{servers}/actions/remove_from_placement_group': when(
      ({ group }) => Boolean(group),
      () => ({ to: { group: '' } }),
    ),
  },
}

export const proof: Proof = {
  samples: { prepare, requests: { create: () => ({ body: body() }), update: rename('group') } },
  references: {
    'servers.create placement_group': {
      family: 'placement_groups',
      body: (id) => serverBody(unique('server'), { placement_group: id }),
    },
    'servers.addToPlacementGroup': { family: 'placement_groups', body: (id) => ({ placement_group: id }) },
  },
  errors,
  actions,
  consistency,
  traffic,
  crash,
}
