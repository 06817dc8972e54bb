import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkConsistency } from '../../../../test/kit/consistency.ts'
import { coverServers } from '../../../../test/kit/database/covered-servers.ts'
import { forEachDatabase } from '../../../../test/kit/harness.ts'
import { expect, settleAll } from '../../../../test/kit/resources.ts'
import { acrossProjects } from '../../../kernel/data/scoped.ts'
import { packedAtOnce } from '../../../kernel/data/steps.ts'
import { newServer, privateOnly, serverBody } from '../../servers/proof.ts'
import {
  actionsOf,
  allow,
  appliedTo,
  apply,
  bySelector,
  newFirewall,
  openPorts,
  remove,
  told,
  toSelector,
  toServer,
} from '../proof.ts'

forEachDatabase('firewalls with label selectors', (open) => {
  test('a server looks at few of many selectors, and finds every one that matches it', async () => {
    const { api, db } = await open({ runActions: false })
    const selectors = Array.from({ length: 60 }, (_, i) => `env=prod,app=app-${i}`)
    for (const [i, selector] of selectors.entries()) {
      await newFirewall(api, `f${i}`, { apply_to: [toSelector(selector)] })
    }
    const odd = ['!gone', 'app in (app-7,app-8)', 'env', 'env!=dev,tier']
    const found = []
    for (const selector of odd)
      found.push(await newFirewall(api, selector.slice(0, 6), { apply_to: [toSelector(selector)] }))
    const terms = await acrossProjects(db.query).selectFrom('firewall_application').select('leading_term').execute()
    const counts = Map.groupBy(terms, ({ leading_term }) => leading_term)
    assert.ok(Math.max(...[...counts.values()].map(({ length }) => length)) <= 2)
    const labels = { env: 'prod', app: 'app-7', tier: 'web' }
    const { server } = expect(await api.post('/servers', serverBody('a', { labels })), 201).body
    const has = server.public_net.firewalls.map(({ id }: { id: number }) => id)
    const { firewalls } = expect(await api.get('/firewalls?name=f7'), 200).body
    assert.deepEqual(has.toSorted(), [firewalls[0].id, ...found].toSorted())
  })

  test('a reply has all servers that a selector matches, however many statements they take', async () => {
    const { api, db } = await open({ runActions: false })
    const project = acrossProjects(db.query).selectFrom('project').select('id').orderBy('id')
    const { id: projectId } = await project.executeTakeFirstOrThrow()
    const servers = packedAtOnce + 1
    const [id] = await db.transact((tx) => coverServers(tx, { projectId }, { count: 1, servers }))
    const [{ applied_to_resources: told }] = await appliedTo(api, id!)
    assert.equal(told.length, servers)
  })

  test('a selector guards a server before it has a public address, and after it lost its last one', async () => {
    const world = await open()
    const { api } = world
    const hidden = await newServer(api, 'hidden', { ...privateOnly, labels: { env: 'dev' } })
    const id = await newFirewall(api, 'f', { rules: [allow('80')], apply_to: [toSelector('env')] })
    const later = await newServer(api, 'later', { ...privateOnly, labels: { env: 'dev' } })
    assert.deepEqual(await appliedTo(api, id), [bySelector('env', hidden, later)])
    await settleAll(world)
    for (const server of [hidden, later]) {
      const address = { name: `of-${server}`, type: 'ipv4', assignee_type: 'server', assignee_id: server }
      const { primary_ip } = expect(await api.post('/primary_ips', address), 201).body
      await settleAll(world)
      assert.deepEqual(openPorts(world, server), [80])
      expect(await api.post(`/primary_ips/${primary_ip.id}/actions/unassign`), 201)
      await settleAll(world)
    }
    assert.deepEqual(await appliedTo(api, id), [bySelector('env', hidden, later)])
    await checkConsistency(world)
  })

  test('a server has a firewall directly and by a selector at once, and keeps it until both are gone', async () => {
    const world = await open()
    const { api } = world
    const server = await newServer(api, 'a', { labels: { env: 'dev' } })
    const id = await newFirewall(api, 'f', { rules: [allow('80')], apply_to: [toServer(server)] })
    const selected = expect(await apply(api, id, toSelector('env=dev')), 201)
    assert.deepEqual(told(selected.body.actions), [['apply_firewall', 'label_selector', `firewall ${id}`]])
    assert.equal(selected.body.actions[0].status, 'success')
    assert.deepEqual(await appliedTo(api, id), [toServer(server), bySelector('env=dev', server)])
    assert.deepEqual((await api.get(`/servers/${server}`)).body.server.public_net.firewalls.length, 1)
    // Entries are given back as they were read, with the servers that the selector matches.
    const [direct, selector] = await appliedTo(api, id)
    expect(await remove(api, id, direct), 201)
    assert.deepEqual(await appliedTo(api, id), [bySelector('env=dev', server)])
    await settleAll(world)
    assert.deepEqual(openPorts(world, server), [80])
    const managed = await remove(api, id, toServer(server))
    expect(managed, 422, 'firewall_managed_by_label_selector')
    const removed = expect(await remove(api, id, selector), 201)
    assert.deepEqual(told(removed.body.actions), [
      ['remove_firewall', `server ${server}`, `firewall ${id}`, 'label_selector'],
    ])
    await settleAll(world)
    assert.deepEqual(await appliedTo(api, id), [])
    assert.deepEqual(openPorts(world, server), [])
    expect(await remove(api, id, selector), 404, 'firewall_resource_not_found')
    expect(await remove(api, id, toServer(server)), 404, 'firewall_resource_not_found')
    await checkConsistency(world)
  })

  test('with the direct entry left, removing the selector changes nothing for the server', async () => {
    const world = await open()
    const { api } = world
    const server = await newServer(api, 'a', { labels: { env: 'dev' } })
    const id = await newFirewall(api, 'f', { rules: [allow('80')], apply_to: [toSelector('env'), toServer(server)] })
    assert.deepEqual(await appliedTo(api, id), [bySelector('env', server), toServer(server)])
    const removed = expect(await remove(api, id, toSelector('env')), 201)
    assert.deepEqual(told(removed.body.actions), [['remove_firewall', 'label_selector', `firewall ${id}`]])
    assert.deepEqual(await appliedTo(api, id), [toServer(server)])
    await settleAll(world)
    assert.deepEqual(openPorts(world, server), [80])
    await checkConsistency(world)
  })

  test('under several selectors of a firewall a server is shown once, and passes to the next one', async () => {
    const world = await open()
    const { api } = world
    const server = await newServer(api, 'a', { labels: { env: 'dev', tier: '1' } })
    const id = await newFirewall(api, 'f', { rules: [allow('80')], apply_to: [toSelector('env'), toSelector('tier')] })
    assert.deepEqual(await appliedTo(api, id), [bySelector('env', server), bySelector('tier')])
    await settleAll(world)
    const removed = expect(await remove(api, id, toSelector('env')), 201)
    assert.deepEqual(told(removed.body.actions), [['remove_firewall', 'label_selector', `firewall ${id}`]])
    assert.deepEqual(await appliedTo(api, id), [bySelector('tier', server)])
    await settleAll(world)
    assert.deepEqual(openPorts(world, server), [80])
    expect(await apply(api, id, toSelector('env')), 201)
    assert.deepEqual(await appliedTo(api, id), [bySelector('tier', server), bySelector('env')])
    await api.put(`/servers/${server}`, { labels: { env: 'dev' } })
    assert.deepEqual(await appliedTo(api, id), [bySelector('tier'), bySelector('env', server)])
    await settleAll(world)
    assert.deepEqual((await actionsOf(api, server)).filter(({ command }) => command === 'apply_firewall').length, 1)
    await checkConsistency(world)
  })

  test('matching follows the labels of servers, with an action for each change', async () => {
    const world = await open()
    const { api } = world
    const server = await newServer(api, 'a', { labels: { env: 'prod' } })
    // Neither `!=` nor `notin` matches servers that lack the key.
    const bare = await newServer(api, 'bare')
    await settleAll(world)
    const f = await newFirewall(api, 'f', { rules: [allow('80')], apply_to: [toSelector('env=dev')] })
    await newFirewall(api, 'h', { rules: [allow('25')], apply_to: [toSelector('stage!=live')] })
    const g = await newFirewall(api, 'g', { rules: [allow('22')], apply_to: [toSelector('env notin (dev)')] })
    await settleAll(world)
    assert.deepEqual(openPorts(world, server), [22])
    assert.deepEqual(openPorts(world, bare), undefined)
    const before = new Set((await actionsOf(api, server)).map(({ id }) => id))
    const since = async () => told((await actionsOf(api, server)).filter(({ id }) => !before.has(id)))
    expect(await api.put(`/servers/${server}`, { labels: { env: 'dev' } }), 200)
    assert.deepEqual(await since(), [
      ['apply_firewall', `server ${server}`, `firewall ${f}`, 'label_selector'],
      ['remove_firewall', `server ${server}`, `firewall ${g}`, 'label_selector'],
    ])
    assert.deepEqual(
      [await appliedTo(api, f), await appliedTo(api, g)],
      [[bySelector('env=dev', server)], [bySelector('env notin (dev)')]],
    )
    await settleAll(world)
    assert.deepEqual(openPorts(world, server), [80])
    expect(await api.put(`/servers/${server}`, { name: 'renamed' }), 200)
    expect(await api.put(`/servers/${server}`, { labels: { env: 'dev', other: '1' } }), 200)
    assert.equal((await since()).length, 2)
    await checkConsistency(world)
    await api.delete(`/servers/${server}`)
    await settleAll(world)
    assert.deepEqual(
      [await appliedTo(api, f), await appliedTo(api, g)],
      [[bySelector('env=dev')], [bySelector('env notin (dev)')]],
    )
    assert.equal(world.simulation.world.filters.has(server), false)
    await checkConsistency(world)
  })

  test('a new server is behind every firewall that matches it before it starts', async () => {
    const world = await open()
    const { api, simulation } = world
    const f = await newFirewall(api, 'f', { rules: [allow('80')], apply_to: [toSelector('env=dev')] })
    const g = await newFirewall(api, 'g', { rules: [allow('22')] })
    const powered: [number, string | undefined][] = []
    simulation.behave(({ driver, subject }) => {
      if (driver === 'servers')
        powered.push([openPorts(world, subject)?.length ?? 0, simulation.world.servers.get(subject)?.power])
      return undefined
    })
    const options = {
      name: 'a',
      server_type: 'cpx22',
      image: 'debian-12',
      labels: { env: 'dev' },
      firewalls: [{ firewall: g }],
    }
    const created = expect(await api.post('/servers', options), 201).body
    const { id } = created.server
    assert.deepEqual(told(created.next_actions), [
      ['start_server', `server ${id}`],
      ['apply_firewall', `server ${id}`, `firewall ${g}`],
      ['apply_firewall', `server ${id}`, `firewall ${f}`, 'label_selector'],
    ])
    assert.deepEqual(created.server.public_net.firewalls, [
      { id: f, status: 'pending' },
      { id: g, status: 'pending' },
    ])
    await settleAll(world)
    assert.deepEqual(powered, [
      [0, undefined],
      [2, 'off'],
    ])
    assert.deepEqual(await appliedTo(api, f), [bySelector('env=dev', id)])
    assert.deepEqual(await appliedTo(api, g), [toServer(id)])
    await checkConsistency(world)
  })
})
