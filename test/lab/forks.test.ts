/** Forks: a cloud that begins as another one is, and goes its own way. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newServer } from '../../src/families/servers/proof.ts'
import { wolkeBase } from '../../src/kernel/contract/bases.ts'
import { LabClock } from '../../src/lab/clock.ts'
import { manager } from '../../src/management/proof.ts'
import { forEachDatabase } from '../kit/harness.ts'
import { makeClient } from '../kit/http/client.ts'
import { done } from '../kit/proof.ts'

forEachDatabase('A fork', (open, engineName) => {
  if (engineName === 'postgres') {
    test('is refused where processes share a database', async () => {
      const world = await open({ lab: new LabClock(), alone: true })
      const answer = await (await manager(world)).post(`${new URL(world.baseUrl).origin}${wolkeBase}/forks`, {})
      assert.equal(answer.status, 422)
      assert.equal(answer.body.error.code, 'unsupported_error')
    })
    return
  }

  test('has what its cloud had, and neither sees what the other does', async () => {
    const world = await open({ lab: new LabClock(Date.parse('2026-11-28T12:00:00Z'), 'frozen'), alone: true })
    const { api, baseUrl } = world
    const lab = await manager(world)
    const before = await newServer(api, 'before')
    await world.settle()
    const { fork } = await done(lab.post(`${new URL(baseUrl).origin}${wolkeBase}/forks`, { ttl: '10m' }))
    const there = makeClient(fork.base_url, api.token)
    const names = async (one: typeof api) =>
      (await done(one.get('/servers'))).servers.map(({ name }: { name: string }) => name)
    assert.deepEqual(await names(there), ['before'])
    assert.deepEqual(
      (await done(there.get(`/servers/${before}`))).server,
      (await done(api.get(`/servers/${before}`))).server,
    )
    const [here, other] = [await newServer(api, 'here'), await newServer(there, 'there')]
    assert.equal(here, other, 'ids go on where the cloud was')
    assert.deepEqual(await names(api), ['before', 'here'])
    assert.deepEqual(await names(there), ['before', 'there'])
    await done(there.delete(`/servers/${before}`))
    await done(lab.post(`${fork.wolke_url}/clock/advance`, { by: '30d' }))
    assert.equal((await there.get(`/servers/${before}`)).status, 404)
    assert.equal((await done(api.get(`/servers/${before}`))).server.status, 'running')
    const clockOf = async (base: string) => (await done(lab.get(`${base}/clock`))).clock.now
    assert.equal(await clockOf(fork.wolke_url), '2026-12-28T12:00:00Z')
    assert.equal(await clockOf(`${new URL(baseUrl).origin}${wolkeBase}`), '2026-11-28T12:00:00Z')
  })
})
