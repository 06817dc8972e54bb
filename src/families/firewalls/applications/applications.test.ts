import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkConsistency } from '../../../../test/kit/consistency.ts'
import { type Answer, forEachDatabase } from '../../../../test/kit/harness.ts'
import { expect, settleAll } from '../../../../test/kit/resources.ts'
import { acrossProjects } from '../../../kernel/data/scoped.ts'
import { newServer, privateOnly } from '../../servers/proof.ts'
import {
  actionsOf,
  allow,
  appliedTo,
  apply,
  bySelector,
  newFirewall,
  openPorts,
  remove,
  setRules,
  told,
  toSelector,
  toServer,
} from '../proof.ts'

forEachDatabase('where firewalls are applied', (open) => {
  test('applying to a server puts its rules in force there, removing takes them out again', async () => {
    const world = await open()
    const { api, simulation } = world
    const server = await newServer(api, 'web')
    await settleAll(world)
    assert.equal(simulation.world.filters.has(server), false)
    const web = await newFirewall(api, 'web', { rules: [allow('80')] })
    const ssh = await newFirewall(api, 'ssh', { rules: [allow('22')] })
    const applied = expect(await apply(api, web, toServer(server)), 201)
    assert.deepEqual(told(applied.body.actions), [['apply_firewall', `server ${server}`, `firewall ${web}`]])
    await apply(api, ssh, toServer(server))
    await settleAll(world)
    assert.deepEqual(await appliedTo(api, web), [toServer(server)])
    assert.deepEqual(openPorts(world, server), [80, 22])
    assert.equal(simulation.world.filters.get(server)?.outbound.otherwise, 'accept')
    assert.deepEqual((await api.get(`/servers/${server}`)).body.server.public_net.firewalls, [
      { id: web, status: 'applied' },
      { id: ssh, status: 'applied' },
    ])
    const removed = expect(await remove(api, web, toServer(server)), 201)
    assert.deepEqual(told(removed.body.actions), [['remove_firewall', `server ${server}`, `firewall ${web}`]])
    await settleAll(world)
    assert.deepEqual(await appliedTo(api, web), [])
    assert.deepEqual(openPorts(world, server), [22])
    await remove(api, ssh, toServer(server))
    await settleAll(world)
    assert.equal(simulation.world.filters.get(server)?.inbound.otherwise, 'accept')
    assert.deepEqual((await api.get(`/servers/${server}`)).body.server.public_net.firewalls, [])
    await checkConsistency(world)
  })

  test('a firewall is pending until the infrastructure has confirmed it', async () => {
    const world = await open({ runActions: false })
    const { api } = world
    const server = await newServer(api, 'web')
    await settleAll(world)
    const firewall = await newFirewall(api, 'web', { apply_to: [toServer(server)] })
    const status = async () => (await api.get(`/servers/${server}`)).body.server.public_net.firewalls
    assert.deepEqual(await status(), [{ id: firewall, status: 'pending' }])
    await settleAll(world)
    assert.deepEqual(await status(), [{ id: firewall, status: 'applied' }])
    await setRules(api, firewall, [allow('80')])
    assert.deepEqual(await status(), [{ id: firewall, status: 'pending' }])
    await settleAll(world)
    assert.deepEqual(await status(), [{ id: firewall, status: 'applied' }])
  })

  test('what is applied already is refused, twice in one request too, and nothing of the request is done', async () => {
    const world = await open()
    const { api } = world
    const [a, b] = [await newServer(api, 'a'), await newServer(api, 'b')]
    const id = await newFirewall(api, 'f', { apply_to: [toServer(a), toSelector('env=dev')] })
    for (const again of [toServer(a), toSelector('env=dev'), toSelector('env == dev')]) {
      expect(await apply(api, id, toServer(b), again), 422, 'firewall_already_applied')
    }
    expect(await apply(api, id, toServer(b), toServer(b)), 422, 'firewall_already_applied')
    assert.deepEqual(await appliedTo(api, id), [toServer(a), bySelector('env=dev')])
    const twice = { name: 'g', apply_to: [toServer(a), toServer(a)] }
    expect(await api.post('/firewalls', twice), 422, 'server_already_added')
    const selectors = { name: 'g', apply_to: [toSelector('x'), toSelector(' x')] }
    expect(await api.post('/firewalls', selectors), 422, 'invalid_input')
    assert.equal((await api.get('/firewalls?name=g')).body.firewalls.length, 0)
    await settleAll(world)
    assert.equal((await actionsOf(api, b)).length, 2)
    await checkConsistency(world)
  })

  test('foreign, deleted and unknown servers cannot be told apart, and leave no trace', async () => {
    const world = await open()
    const { api, foreign, db } = world
    const theirs = await newServer(foreign, 'theirs')
    const deleted = await newServer(api, 'deleted')
    const mine = await newServer(api, 'mine')
    await settleAll(world)
    await api.delete(`/servers/${deleted}`)
    await settleAll(world)
    const id = await newFirewall(api, 'f')
    const actions = async () => (await acrossProjects(db.query).selectFrom('action').select('id').execute()).length
    const before = await actions()
    const requests: [number, (target: object) => Promise<Answer>][] = [
      [404, (target) => apply(api, id, toServer(mine), target)],
      [404, (target) => remove(api, id, target)],
      [422, (target) => api.post('/firewalls', { name: 'g', apply_to: [toServer(mine), target] })],
    ]
    for (const [status, request] of requests) {
      const answers: string[] = []
      for (const server of [theirs, deleted, 99_000_000_000, 7]) {
        const answer = expect(await request(toServer(server)), status, 'firewall_resource_not_found')
        answers.push(answer.text.replaceAll(String(server), '#'))
      }
      assert.equal(new Set(answers).size, 1)
    }
    const firewallOfOthers = await newFirewall(foreign, 'f')
    const texts = new Set<string>()
    for (const firewall of [firewallOfOthers, 99_000_000_000]) {
      for (const answer of [
        await apply(api, firewall, toServer(mine)),
        await remove(api, firewall, toServer(mine)),
        await setRules(api, firewall, []),
        await api.get(`/firewalls/${firewall}`),
        await api.put(`/firewalls/${firewall}`, { name: 'x' }),
        await api.delete(`/firewalls/${firewall}`),
      ]) {
        texts.add(expect(answer, 404, 'not_found').text.replaceAll(String(firewall), '#'))
      }
    }
    assert.equal(texts.size, 1)
    assert.equal(await actions(), before + 1)
    assert.deepEqual(await appliedTo(api, id), [])
    assert.equal((await api.get('/firewalls')).body.firewalls.length, 1)
    const labelled = await newServer(foreign, 'labelled', { labels: { env: 'dev' } })
    expect(await apply(api, id, toSelector('env')), 201)
    assert.deepEqual(await appliedTo(api, id), [bySelector('env')])
    await settleAll(world)
    assert.equal(world.simulation.world.filters.has(labelled), false)
    await checkConsistency(world)
  })

  test('a server without a public network is refused by its id', async () => {
    const { api } = await open()
    const hidden = await newServer(api, 'hidden', privateOnly)
    const half = await newServer(api, 'half', { public_net: { enable_ipv4: false } })
    const id = await newFirewall(api, 'f', { apply_to: [toServer(half)] })
    expect(await apply(api, id, toServer(hidden)), 422, 'incompatible_network_type')
    const body = { name: 'g', apply_to: [toServer(hidden)] }
    expect(await api.post('/firewalls', body), 422, 'incompatible_network_type')
  })

  test('a server has at most 5 firewalls, however they come to it, and what would be too much is not begun', async () => {
    const world = await open()
    const { api, db } = world
    const server = await newServer(api, 'a')
    const some = async (count: number, options: (i: number) => object) => {
      const ids: number[] = []
      for (let i = 0; i < count; i++)
        ids.push(await newFirewall(api, `f${i}-${ids.length}-${Math.random()}`, options(i)))
      return ids
    }
    const [first = 0] = await some(4, () => ({ apply_to: [toServer(server)] }))
    await some(2, (i) => ({ apply_to: [toSelector(`s${i}`)] }))
    await settleAll(world)
    const state = async () =>
      JSON.stringify([
        await acrossProjects(db.query).selectFrom('action').select('id').orderBy('id').execute(),
        (await api.get('/firewalls')).body,
        (await api.get('/servers')).body,
      ])
    const refused = async (answer: Answer) => {
      expect(answer, 403, 'resource_limit_exceeded')
      assert.deepEqual(answer.body.error.details, { limits: [{ name: 'firewalls_per_server' }] })
    }
    let before = await state()
    await refused(await api.put(`/servers/${server}`, { name: 'b', labels: { s0: '', s1: '' } }))
    assert.equal(await state(), before)
    expect(await api.put(`/servers/${server}`, { labels: { s0: '' } }), 200)
    await settleAll(world)
    const spare = await newFirewall(api, 'spare')
    const other = await newServer(api, 'other', { labels: { x: '' } })
    await settleAll(world)
    before = await state()
    await refused(await apply(api, spare, toServer(other), toServer(server)))
    await refused(await apply(api, spare, toSelector('s0')))
    await refused(await api.post('/firewalls', { name: 'g', apply_to: [toServer(server)] }))
    await refused(await api.post('/firewalls', { name: 'g', apply_to: [toSelector('s0')] }))
    const all = (await api.get('/firewalls')).body.firewalls.map(({ id }: { id: number }) => ({ firewall: id }))
    const body = { name: 'c', server_type: 'cpx22', image: 'debian-12' }
    await refused(await api.post('/servers', { ...body, firewalls: all.slice(0, 6) }))
    const matched = { ...body, firewalls: all.slice(0, 4), labels: { s0: '', s1: '' } }
    await refused(await api.post('/servers', matched))
    assert.equal(await state(), before)
    // Both ways to one firewall count once.
    expect(await apply(api, first, toSelector('s0')), 201)
    await settleAll(world)
    await checkConsistency(world)
  })

  test('a new server cannot have a sixth firewall, even where no labels play a part', async () => {
    const world = await open()
    const { api } = world
    const firewalls: { firewall: number }[] = []
    for (let i = 0; i < 6; i++) firewalls.push({ firewall: await newFirewall(api, `f${i}`) })
    const body = { name: 'a', server_type: 'cpx22', image: 'debian-12' }
    expect(await api.post('/servers', { ...body, firewalls }), 403, 'resource_limit_exceeded')
    assert.deepEqual((await api.get('/servers')).body.servers, [])
    await newServer(api, 'a', { firewalls: [...firewalls.slice(0, 5), ...firewalls.slice(0, 5)] })
    await settleAll(world)
    await checkConsistency(world)
  })

  test('a firewall in use cannot be deleted, be it by a server or by a selector without servers', async () => {
    const world = await open()
    const { api } = world
    const server = await newServer(api, 'a')
    const id = await newFirewall(api, 'f', { apply_to: [toServer(server), toSelector('nothing')] })
    await settleAll(world)
    const inUse = async (...by: object[]) => {
      const { error } = expect(await api.delete(`/firewalls/${id}`), 422, 'resource_in_use').body
      assert.equal(error.message, `firewall with ID ${id} is still in use`)
      assert.deepEqual(error.details, { applied_to: by })
    }
    await inUse(toServer(server), toSelector('nothing'))
    expect(await api.delete(`/servers/${server}`), 200)
    await settleAll(world)
    assert.deepEqual(await appliedTo(api, id), [bySelector('nothing')])
    await inUse(toSelector('nothing'))
    const echoed = expect(await remove(api, id, ...(await appliedTo(api, id))), 201)
    assert.deepEqual(told(echoed.body.actions), [['remove_firewall', 'label_selector', `firewall ${id}`]])
    expect(await api.delete(`/firewalls/${id}`), 204)
    await checkConsistency(world)
  })

  test('removing several targets is done as a whole or not at all', async () => {
    const world = await open()
    const { api } = world
    const [a, b] = [await newServer(api, 'a'), await newServer(api, 'b')]
    const id = await newFirewall(api, 'f', { apply_to: [toServer(a)] })
    expect(await remove(api, id, toServer(a), toServer(b)), 404, 'firewall_resource_not_found')
    expect(await remove(api, id, toServer(a), toServer(a)), 404, 'firewall_resource_not_found')
    assert.deepEqual(await appliedTo(api, id), [toServer(a)])
    await settleAll(world)
    assert.equal((await api.get(`/servers/${a}`)).body.server.public_net.firewalls[0].status, 'applied')
    await checkConsistency(world)
  })
})
