import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkConsistency } from '../../../test/kit/consistency.ts'
import { type Client, forEachDatabase, type World } from '../../../test/kit/harness.ts'
import { done } from '../../../test/kit/proof.ts'
import { expect } from '../../../test/kit/resources.ts'
import { serveOptions } from '../../config/config.ts'
import { defaultLimits } from '../../families.ts'
import { makeServer, newServer, privateOnly, serverBody, serverOf } from '../servers/proof.ts'

const groupBody = (name: string) => ({ name, type: 'spread' })

const newGroup = async (api: Client, name: string) =>
  (await done(api.post('/placement_groups', groupBody(name)))).placement_group

const membersOf = async (api: Client, id: number): Promise<number[]> =>
  (await done(api.get(`/placement_groups/${id}`))).placement_group.servers

const add = (api: Client, id: number, placement_group: number | string) =>
  api.post(`/servers/${id}/actions/add_to_placement_group`, { placement_group })

/** A server that is off. */
const makeOff = (world: World, options: object = {}) => makeServer(world, { start_after_create: false, ...options })

forEachDatabase('placement groups', (open) => {
  test('a group is created empty, found by what it has, changed and deleted', async () => {
    const { api } = await open()
    const given = { ...groupBody('web'), labels: { env: 'prod' } }
    const { placement_group: group, action } = await done(api.post('/placement_groups', given))
    assert.equal(action, null)
    const { id } = group
    assert.deepEqual(group, { id, ...given, servers: [], created: '2026-11-21T12:00:00Z' })
    assert.deepEqual((await api.get(`/placement_groups/${id}`)).body, { placement_group: group })
    await newGroup(api, 'db')
    const names = async (search: string) =>
      (await done(api.get(`/placement_groups?${search}`))).placement_groups.map((one: { name: string }) => one.name)
    assert.deepEqual(await names(''), ['web', 'db'])
    assert.deepEqual(await names('sort=name'), ['db', 'web'])
    assert.deepEqual(await names('sort=created:desc'), ['db', 'web'])
    assert.deepEqual(await names('name=db'), ['db'])
    assert.deepEqual(await names('label_selector=env%3Dprod'), ['web'])
    assert.deepEqual(await names('type=spread&type=spread'), ['web', 'db'])
    assert.equal((await api.get('/placement_groups?type=pack')).body.error.code, 'invalid_input')
    const change = { name: 'www', labels: { env: 'test' } }
    assert.deepEqual((await done(api.put(`/placement_groups/${id}`, change))).placement_group, { ...group, ...change })
    assert.equal((await api.delete(`/placement_groups/${id}`)).status, 204)
    assert.equal((await api.get(`/placement_groups/${id}`)).status, 404)
  })

  test('a group has a name of its own and the type spread', async () => {
    const { api, foreign } = await open()
    await newGroup(api, 'web')
    const taken = await api.post('/placement_groups', groupBody('web'))
    assert.deepEqual([taken.status, taken.body.error.message], [409, 'name is already used'])
    await newGroup(foreign, 'web')
    for (const bad of [{ name: 'x', type: 'pack' }, { name: 'x' }]) {
      const { status, body } = await api.post('/placement_groups', bad)
      assert.deepEqual([status, body.error.message], [422, "invalid input in field 'type'"])
    }
  })

  test('a Project has 50 groups unless the operator says otherwise', async () => {
    const { api } = await open({ limits: defaultLimits })
    for (let i = 0; i < 50; i++) await newGroup(api, `group-${i}`)
    const { status, body } = await api.post('/placement_groups', groupBody('one-more'))
    assert.deepEqual([status, body.error.code], [403, 'resource_limit_exceeded'])
    assert.deepEqual(body.error.details, { limits: [{ name: 'placement_groups' }] })
    const option = serveOptions().find(({ long }) => long === '--limits')!
    assert.deepEqual(option.defaultValue, defaultLimits)
    const parse = (text: string) => option.parseArg!(text, defaultLimits)
    assert.deepEqual(parse('servers=3'), { ...defaultLimits, servers: 3 })
    assert.deepEqual(parse('placement_groups=60'), { ...defaultLimits, placement_groups: 60 })
    assert.equal('placement_groups' in parse('placement_groups=off'), false)
    assert.deepEqual(parse('placement_groups=default'), defaultLimits)
  })

  test('a server is created in a group, and its membership ends with it', async () => {
    const world = await open({ runActions: false })
    const { api } = world
    const group = await newGroup(api, 'web')
    const { server } = await done(api.post('/servers', serverBody('one', { placement_group: group.id })))
    assert.deepEqual(server.placement_group, { ...group, servers: [server.id] })
    await world.settle()
    assert.deepEqual((await serverOf(api, server.id)).placement_group.servers, await membersOf(api, group.id))
    await done(api.delete(`/servers/${server.id}`))
    await world.settle()
    assert.deepEqual(await membersOf(api, group.id), [])
    await checkConsistency(world)
  })

  test('a server that is off joins a group and runs afterwards', async () => {
    const world = await open({ runActions: false })
    const { api } = world
    const group = await newGroup(api, 'web')
    const id = await makeOff(world)
    const { action } = await done(add(api, id, group.id))
    assert.deepEqual([action.command, action.resources], ['add_to_placement_group', [{ id, type: 'server' }]])
    const joining = await serverOf(api, id)
    assert.deepEqual([joining.status, joining.locked, joining.placement_group.id], ['migrating', true, group.id])
    await world.settle()
    const joined = await serverOf(api, id)
    assert.deepEqual([joined.status, joined.locked, joined.placement_group.servers], ['running', false, [id]])
    await checkConsistency(world)
  })

  test('the infrastructure learns of a group that a server leaves, of one that goes, and of a name', async () => {
    const world = await open({ runActions: false })
    const { api } = world
    const told = (id: number) => world.simulation.world.servers.get(id)!.state
    const rest = async () => {
      await world.settle()
      await world.app.jobs.run()
    }
    const group = await newGroup(api, 'web')
    const [first, second] = [
      await makeServer(world, { placement_group: group.id }),
      await makeServer(world, { placement_group: group.id }),
    ]
    assert.deepEqual(
      [first, second].map((id) => told(id).placementGroup),
      [group.id, group.id],
    )
    await done(api.post(`/servers/${first}/actions/remove_from_placement_group`))
    await done(api.put(`/servers/${first}`, { name: 'renamed' }))
    await rest()
    assert.deepEqual([told(first).placementGroup, told(first).name], [null, 'renamed'])
    assert.equal(told(second).placementGroup, group.id)
    await done(api.delete(`/placement_groups/${group.id}`))
    await rest()
    assert.equal(told(second).placementGroup, null)
    await checkConsistency(world)
  })

  test('a server without any network joins a group and stays off', async () => {
    const world = await open()
    const group = await newGroup(world.api, 'web')
    const id = await makeServer(world, privateOnly)
    await done(add(world.api, id, group.id))
    await world.settle()
    const joined = await serverOf(world.api, id)
    assert.deepEqual([joined.status, joined.locked, joined.placement_group.id], ['off', false, group.id])
    await checkConsistency(world)
  })

  test('the group to join may be named by its id as text, as older Python libraries do', async () => {
    const world = await open()
    const group = await newGroup(world.api, 'web')
    const id = await makeOff(world)
    for (const wrong of ['web', '', '0', '-1', ' 1', '1e3', '9'.repeat(16)]) {
      const { error } = expect(await add(world.api, id, wrong), 422, 'invalid_input').body
      assert.match(error.message, /^invalid input in field 'placement_group'/, wrong)
    }
    await done(add(world.api, id, String(group.id)))
    await world.settle()
    assert.equal((await serverOf(world.api, id)).placement_group.id, group.id)
  })

  test('only a server that is off and in no group joins one', async () => {
    const world = await open({ runActions: false })
    const { api } = world
    const [first, second] = [await newGroup(api, 'first'), await newGroup(api, 'second')]
    const running = await makeServer(world)
    const refusal = await add(api, running, first.id)
    assert.deepEqual([refusal.status, refusal.body.error.code], [422, 'server_not_stopped'])
    const member = await makeOff(world, { placement_group: first.id })
    for (const group of [first, second]) {
      const { status, body } = await add(api, member, group.id)
      assert.deepEqual(
        [status, body.error.code, body.error.details.fields[0].name],
        [422, 'invalid_input', 'placement_group'],
      )
    }
    assert.equal((await add(api, await makeOff(world), 4_000_000_000_000_000)).body.error.code, 'invalid_input')
    assert.deepEqual([await membersOf(api, first.id), await membersOf(api, second.id)], [[member], []])
    await checkConsistency(world)
  })

  test('a server leaves its group in whatever state it is, and stays in that state', async () => {
    const world = await open({ runActions: false })
    const { api } = world
    const { id: placement_group } = await newGroup(api, 'web')
    const servers = [await makeServer(world, { placement_group }), await makeOff(world, { placement_group })]
    for (const id of servers) {
      const { status } = await serverOf(api, id)
      const { action } = await done(api.post(`/servers/${id}/actions/remove_from_placement_group`))
      assert.deepEqual([action.command, action.status], ['remove_from_placement_group', 'success'])
      const left = await serverOf(api, id)
      assert.deepEqual([left.status, left.placement_group], [status, null])
      const again = await done(api.post(`/servers/${id}/actions/remove_from_placement_group`))
      assert.equal(again.action.status, 'success', 'whoever is in no group has left it')
    }
    assert.deepEqual(await membersOf(api, placement_group), [])
  })

  test('a group holds ten servers, also when more join at once', async () => {
    const world = await open({ runActions: false })
    const { api } = world
    const { id: placement_group } = await newGroup(api, 'web')
    const create = (name: string) => api.post('/servers', serverBody(name, { ...privateOnly, placement_group }))
    const answers = await Promise.all(Array.from({ length: 14 }, (_, index) => create(`server-${index}`)))
    const refused = answers.filter(({ status }) => status !== 201)
    assert.equal(refused.length, 4)
    for (const { status, body } of refused) {
      const message = `placement group with ID ${placement_group} contains already 10 servers`
      assert.deepEqual(
        [status, body.error],
        [422, { code: 'placement_group_member_limit_reached', message, details: null }],
      )
    }
    await world.settle()
    assert.equal((await membersOf(api, placement_group)).length, 10)
    await checkConsistency(world)
  })

  test('a group that is deleted leaves its servers alone', async () => {
    const world = await open({ runActions: false })
    const { api } = world
    const { id: placement_group } = await newGroup(api, 'web')
    const server = await makeServer(world, { placement_group })
    assert.equal((await api.delete(`/placement_groups/${placement_group}`)).status, 204)
    const alone = await serverOf(api, server)
    assert.deepEqual([alone.status, alone.placement_group], ['running', null])
    await checkConsistency(world)
  })

  test('a group that a server joins while it is deleted goes all the same', async () => {
    let joins: (() => Promise<unknown>) | undefined
    const reach = async (place: string) => {
      if (place !== 'update/placement_group:before-write') return
      const once = joins
      joins = undefined
      await once?.()
    }
    const world = await open({ runActions: false, faults: { reach } })
    const { api } = world
    const { id: placement_group } = await newGroup(api, 'web')
    let server = 0
    joins = async () => {
      server = await newServer(api, 'late', { placement_group })
    }
    assert.equal((await api.delete(`/placement_groups/${placement_group}`)).status, 204)
    await world.settle()
    const alone = await serverOf(api, server)
    assert.deepEqual([alone.status, alone.placement_group], ['running', null])
    await checkConsistency(world)
  })

  test('a server of another Project is in none of the groups here', async () => {
    const { api, foreign } = await open()
    const { id: placement_group } = await newGroup(foreign, 'web')
    const { status, body } = await api.post('/servers', serverBody('spy', { placement_group }))
    assert.deepEqual(
      [status, body.error.details.fields],
      [422, [{ name: 'placement_group', messages: [`placement group with ID ${placement_group} not found`] }]],
    )
    await newServer(foreign, 'member', { placement_group })
    assert.equal((await membersOf(foreign, placement_group)).length, 1)
  })

  test('a server that cannot be started has not joined the group', async () => {
    const world = await open({ runActions: false })
    const { api, simulation } = world
    const group = await newGroup(api, 'web')
    const id = await makeOff(world)
    let refusals = 1
    simulation.behave(({ subject }) => (subject === id && refusals-- > 0 ? 'error after effect' : undefined))
    const { action } = await done(add(api, id, group.id))
    await world.settle()
    assert.equal((await done(api.get(`/actions/${action.id}`))).action.error.code, 'action_failed')
    const server = await serverOf(api, id)
    assert.deepEqual([server.status, server.placement_group], ['off', null])
    await checkConsistency(world)
  })
})
