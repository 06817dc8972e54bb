import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acrossProjects } from '../../src/kernel/data/scoped.ts'
import { setLimits } from '../../src/kernel/resource/limits.ts'
import { forProjects } from '../kit/harness.ts'

forProjects('Limits of a Project', (open) => {
  test('of 20 that come at once exactly as many are made as the limit allows', async () => {
    const { api, foreign } = await open({ limits: { firewalls: 7 } })
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => api.post('/firewalls', { name: `f${index}` })),
    )
    assert.equal(answers.filter(({ status }) => status === 201).length, 7)
    const refused = answers.filter(({ status }) => status !== 201)
    for (const { status, body } of refused) {
      assert.equal(status, 403)
      assert.deepEqual(body.error, {
        code: 'resource_limit_exceeded',
        message: 'firewall limit exceeded: a Project cannot have more than 7 firewalls',
        details: { limits: [{ name: 'firewalls' }] },
      })
    }
    assert.equal((await foreign.post('/firewalls', { name: 'f' })).status, 201)
  })

  test('what is deleted makes room', async () => {
    const { api } = await open({ limits: { floating_ips: 1 } })
    const make = () => api.post('/floating_ips', { type: 'ipv4', home_location: 'hel1' })
    const { floating_ip } = (await make()).body
    assert.equal((await make()).status, 403)
    await api.delete(`/floating_ips/${floating_ip.id}`)
    assert.equal((await make()).status, 201)
  })

  test("a Project's own limit goes before the default, and off lifts it", async () => {
    const { api, db } = await open({ limits: { servers: 0 } })
    const project = (
      await acrossProjects(db.query).selectFrom('project').selectAll().orderBy('id').executeTakeFirstOrThrow()
    ).id
    const set = (most: number | null | undefined) =>
      db.transact((tx) => setLimits(tx, { projectId: project }, { servers: most }))
    const make = async (name: string) =>
      (await api.post('/servers', { name, server_type: 'cpx22', image: 'debian-13' })).status
    assert.equal(await make('a'), 403)
    await set(1)
    assert.equal(await make('a'), 201)
    assert.equal(await make('b'), 403)
    await set(null)
    assert.equal(await make('b'), 201)
    await set(undefined)
    assert.equal(await make('c'), 403)
    await set(1)
    const { error } = (await api.post('/servers', { name: 'c', server_type: 'cpx22', image: 'debian-13' })).body
    assert.equal(error.message, 'server limit exceeded: a Project cannot have more than 1 servers')
  })
})
