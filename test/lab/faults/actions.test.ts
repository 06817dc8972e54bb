/** Faults inside actions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newServer } from '../../../src/families/servers/proof.ts'
import { manager } from '../../../src/management/proof.ts'
import { forEachDatabase } from '../../kit/harness.ts'
import { done } from '../../kit/proof.ts'
import { openFaultLab, startedAt } from './kit.ts'

const server = { server_type: 'cx23', image: 'debian-13', location: 'fsn1' }

forEachDatabase('A fault of actions', (open, engineName) => {
  test('lets one fail at a step with a code, and what it began is undone', async () => {
    const { api, world, inject, rule } = await openFaultLab(open)
    await inject({
      name: 'broken',
      match: { command: 'create_server', name: 'web-*' },
      when: { first: 1 },
      fault: { action: { error: { code: 'server_error', message: 'the disk broke' } } },
    })
    const failed = async (names: readonly string[]) => {
      const made = []
      for (const name of names) made.push(await done(api.post('/servers', { ...server, name })))
      await world.settle()
      const actions = []
      for (const { action } of made) actions.push((await done(api.get(`/actions/${action.id}`))).action)
      return actions.filter(({ error }) => error !== null)
    }
    assert.deepEqual(await failed(['db-1']), [])
    // Whichever of two that run at the same time comes first.
    const [broken, ...others] = await failed(['web-1', 'web-2'])
    assert.deepEqual(broken.error, { code: 'server_error', message: 'the disk broke' })
    assert.deepEqual(others, [])
    const { hits, fitting, last_hits } = await rule('broken')
    assert.deepEqual({ hits, fitting }, { hits: 1, fitting: 2 })
    assert.equal(last_hits[0]!.action_id, broken.id)
    assert.equal(last_hits[0]!.operation, 'create_server')
  })

  test('keeps one at its step, and its resource locked, as long as the rule is there', async () => {
    const { api, world, inject, ask } = await openFaultLab(open)
    const id = await newServer(api, 'web')
    await world.settle()
    await inject({
      name: 'stuck',
      match: { command: 'stop_server' },
      fault: { action: { stays_locked: true } },
    })
    const { action } = await done(api.post(`/servers/${id}/actions/poweroff`))
    await world.settle()
    assert.equal((await done(api.get(`/actions/${action.id}`))).action.status, 'running')
    assert.equal((await done(api.get(`/servers/${id}`))).server.locked, true)
    assert.equal((await api.post(`/servers/${id}/actions/poweron`)).status, 423)
    if (engineName === 'sqlite') {
      const { fork } = await done(ask('POST', '/forks', {}))
      assert.equal((await done(api.get(`${fork.base_url}/actions/${action.id}`))).action.status, 'running')
      await done(ask('POST', '/clock/advance', { by: '2d' }))
      assert.equal((await done(api.get(`/actions/${action.id}`))).action.status, 'running')
    }
    assert.equal((await ask('DELETE', '/faults/stuck')).status, 204)
    await world.settle()
    assert.equal((await done(api.get(`/actions/${action.id}`))).action.status, 'success')
    assert.equal((await done(api.get(`/servers/${id}`))).server.locked, false)
  })

  test('makes one take its time, once', async (t) => {
    const { api, world, inject, ask, rule } = await openFaultLab(open)
    const takes = engineName === 'sqlite' ? '2h' : '1ms'
    await inject({
      name: 'slow',
      match: { resource: 'server', command: 'create_server' },
      fault: { action: { takes } },
    })
    const { action } = await done(api.post('/servers', { ...server, name: 'late' }))
    const status = async () => (await done(api.get(`/actions/${action.id}`))).action.status
    if (engineName === 'postgres') {
      await world.settle()
      assert.equal(await status(), 'success')
      assert.equal((await rule('slow')).hits, 1)
      return t.diagnostic('its time cannot be moved')
    }
    await world.app.engine.drain()
    assert.equal(await status(), 'running')
    await done(ask('POST', '/clock/advance', { by: '119m' }))
    assert.equal(await status(), 'running')
    await done(ask('POST', '/clock/advance', { by: '1m' }))
    assert.equal(await status(), 'success')
    assert.equal((await rule('slow')).hits, 1)
  })
  if (engineName === 'postgres') return

  test('lets one go when its time is over, after one step of time or many, and for whoever polls it', async () => {
    const { api, world, inject, ask } = await openFaultLab(open)
    const client = await manager(world)
    const untilMs = Date.parse(startedAt) + 3_600_000
    await inject({
      name: 'stuck',
      match: { command: 'create_server' },
      when: { until: new Date(untilMs).toISOString() },
      fault: { action: { stays_locked: true } },
    })
    const { action } = await done(api.post('/servers', { ...server, name: 'late' }))
    await world.app.engine.drain()
    const { events } = await done(ask('GET', '/clock/events?limit=1'))
    assert.deepEqual([events[0].event, events[0].time], ['fault_ends', '2026-11-28T13:00:00Z'])
    for (const hops of [['5h'], ['30m', '30m', '4h'], []]) {
      const { fork } = await done(ask('POST', '/forks', {}))
      const there = (path: string) => api.get(fork.base_url + path)
      for (const by of hops) await done(client.post(`${fork.wolke_url}/clock/advance`, { by }))
      if (hops.length === 0) await done(client.put(`${fork.wolke_url}/clock`, { mode: 'skip' }))
      const { status, finished } = (await done(there(`/actions/${action.id}`))).action
      assert.deepEqual([status, finished], ['success', '2026-11-28T13:00:00Z'], hops.join())
    }
  })
})
