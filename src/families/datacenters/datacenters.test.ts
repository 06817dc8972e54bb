import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forProjects, testClock } from '../../../test/kit/harness.ts'

forProjects('Datacenters', (open) => {
  test('as of April 2026 they are listed with their server types and a recommendation', async () => {
    const { api } = await open({ clock: testClock('2026-04-15T00:00:00Z') })
    const { status, body } = await api.get('/datacenters?sort=name')
    assert.equal(status, 200)
    const names = body.datacenters.map((one: { name: string }) => one.name)
    assert.deepEqual(names, ['ash-dc1', 'fsn1-dc14', 'hel1-dc2', 'hil-dc1', 'nbg1-dc3', 'sin-dc1'])
    assert.ok(body.datacenters.some((one: { id: number }) => one.id === body.recommendation))
    const [helsinki] = (await api.get('/datacenters?name=hel1-dc2')).body.datacenters
    assert.equal(helsinki.location.name, 'hel1')
    assert.ok(helsinki.server_types.available.includes(109))
    assert.ok(helsinki.server_types.supported.includes(104))
    assert.deepEqual((await api.get(`/datacenters/${helsinki.id}`)).body.datacenter, helsinki)
    assert.equal((await api.get('/datacenters/99')).status, 404)
  })

  test('a name that cannot be one is refused, one that is nobody finds nothing', async () => {
    const { api } = await open({ clock: testClock('2026-04-15T00:00:00Z') })
    for (const name of ['', 'hel1_dc2', 'hel1.dc2', 'hel1%20dc2', '-hel1', 'hel1-']) {
      const refused = await api.get(`/datacenters?name=${name}`)
      assert.deepEqual([refused.status, refused.body.error.details.fields[0].name], [422, 'name'], name)
    }
    for (const name of ['xyz1-dc9', 'hel1', 'non-existing-name', 'HEL1-DC2']) {
      assert.deepEqual((await api.get(`/datacenters?name=${name}`)).body.datacenters, [], name)
    }
  })

  test('since October 2026 they are gone, whatever else is wrong with the request', async () => {
    const { api, anonymous } = await open({ clock: testClock('2026-10-01T00:00:00Z') })
    for (const path of ['/datacenters', '/datacenters?name=hel1&page=0', '/datacenters/3', '/datacenters/99']) {
      const { status, body } = await api.get(path)
      assert.deepEqual([status, body.error.code], [410, 'deprecated_api_endpoint'], path)
      assert.match(body.error.details.announcement, /^http:\/\/127\.0\.0\.1:\d+\/v1\/changes#datacenters_removed$/)
    }
    assert.equal((await anonymous.get('/datacenters')).status, 401)
    assert.equal((await api.post('/datacenters')).status, 405)
  })
})
