/** Reset, snapshots and what they leave: a cloud that takes the place of another one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newServer } from '../../src/families/servers/proof.ts'
import { wolkeBase } from '../../src/kernel/contract/bases.ts'
import { LabClock } from '../../src/lab/clock.ts'
import { manager } from '../../src/management/proof.ts'
import { forEachDatabase, type World } from '../kit/harness.ts'
import { done } from '../kit/proof.ts'

async function labOf(world: World) {
  const client = await manager(world)
  const base = `${new URL(world.baseUrl).origin}${wolkeBase}`
  return {
    reset: () => client.post(`${base}/reset`),
    save: (name: string) => client.put(`${base}/snapshots/${name}`),
    restore: (name: string) => client.post(`${base}/snapshots/${name}/restore`),
    remove: (name: string) => client.delete(`${base}/snapshots/${name}`),
    list: () => client.get(`${base}/snapshots`),
    advance: (by: string) => client.post(`${base}/clock/advance`, { by }),
    clock: () => client.get(`${base}/clock`),
  }
}

const names = async ({ api }: World) =>
  (await done(api.get('/servers'))).servers.map(({ name }: { name: string }) => name)

forEachDatabase('The state of a cloud', (open, engineName) => {
  if (engineName === 'postgres') {
    test('cannot be replaced where processes share a database', async () => {
      const lab = await labOf(await open({ lab: new LabClock(), alone: true }))
      for (const answer of [await lab.reset(), await lab.save('one')]) assert.equal(answer.status, 422)
    })
    return
  }
  const start = () => new LabClock(Date.parse('2026-11-28T12:00:00Z'), 'frozen')

  test('is kept under a name, and comes back with its time and its ids', async () => {
    const world = await open({ lab: start(), alone: true })
    const lab = await labOf(world)
    const first = await newServer(world.api, 'first')
    await world.settle()
    await done(lab.save('one-server'))
    const second = await newServer(world.api, 'second')
    await done(world.api.delete(`/servers/${first}`))
    await done(lab.advance('40d'))
    assert.deepEqual(await names(world), ['second'])
    await done(lab.restore('one-server'))
    assert.deepEqual(await names(world), ['first'])
    assert.equal((await done(world.api.get(`/servers/${first}`))).server.status, 'running')
    assert.equal((await done(lab.clock())).clock.now, '2026-11-28T12:00:00Z')
    assert.equal(await newServer(world.api, 'again'), second)
    // A state can be restored as often as wanted.
    await done(lab.restore('one-server'))
    assert.deepEqual(await names(world), ['first'])
    assert.equal((await lab.restore('another')).status, 404)
    assert.deepEqual(
      (await done(lab.list())).snapshots.map(({ name }: { name: string }) => name),
      ['one-server'],
    )
    assert.equal((await lab.remove('one-server')).status, 204)
    assert.equal((await lab.restore('one-server')).status, 404)
  })

  test('changes whole while others write', async () => {
    const world = await open({ lab: start(), alone: true })
    const lab = await labOf(world)
    await done(lab.save('empty'))
    let isOver = false
    const made: string[] = []
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; !isOver; n++) {
        const name = `w${writer}-${n}`
        const { status, text } = await world.api.post('/firewalls', { name })
        assert.ok(status === 201, text)
        made.push(name)
      }
    })
    for (let round = 0; round < 10; round++) {
      await done(lab.restore('empty'))
      made.length = 0
      const { firewalls } = await done(world.api.get('/firewalls?per_page=50'))
      assert.ok(firewalls.length < 50)
    }
    isOver = true
    await Promise.all(writers)
  })
})
