import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, forProjects, testClock } from '../../../test/kit/harness.ts'
import { builtIn } from '../../catalogue/built-in.ts'
import { openCatalogue } from '../../catalogue/catalogue.ts'

const names = ({ body }: Answer): string[] => body.load_balancer_types.map((type: { name: string }) => type.name)

const deprecation = { announced: '2026-10-10T06:00:00Z', unavailable_after: '2026-12-31T23:59:59Z' }

/** A catalogue in which lb11 is going. */
const catalogue = openCatalogue({
  ...builtIn,
  load_balancer_types: builtIn.load_balancer_types.map((type) =>
    type.name === 'lb11' ? { ...type, deprecation } : type,
  ),
})

forProjects('types of Load Balancers', (open) => {
  test('the list has the three types in the order of their ids', async () => {
    const { api } = await open()
    const answer = await api.get('/load_balancer_types')
    assert.equal(answer.status, 200)
    assert.deepEqual(names(answer), ['lb11', 'lb21', 'lb31'])
    assert.equal(answer.body.meta.pagination.total_entries, 3)
  })

  test('a type is shown with all its fields and its price in every location', async () => {
    const { api, readOnly } = await open()
    const { load_balancer_type: type } = (await readOnly.get('/load_balancer_types/1')).body
    const { prices, ...rest } = type
    assert.deepEqual(rest, {
      id: 1,
      name: 'lb11',
      description: 'LB11',
      max_connections: 10_000,
      max_services: 5,
      max_targets: 25,
      max_assigned_certificates: 10,
      deprecation: null,
    })
    assert.deepEqual(
      prices.map((price: { location: string }) => price.location),
      ['ash', 'fsn1', 'hel1', 'hil', 'nbg1', 'sin'],
    )
    assert.deepEqual(prices[1], {
      location: 'fsn1',
      price_hourly: { net: '0.0086000000', gross: '0.0102340000000000' },
      price_monthly: { net: '5.3900000000', gross: '6.4141000000000000' },
      included_traffic: 21_990_232_555_520,
      price_per_tb_traffic: { net: '1.0000000000', gross: '1.1900000000000000' },
    })
    assert.deepEqual((await api.get('/load_balancer_types?name=lb11')).body.load_balancer_types, [type])
  })

  test('the name filter is exact, and sort is tolerated', async () => {
    const { api } = await open()
    for (const name of ['lb', 'LB11', 'nothing']) {
      const answer = await api.get(`/load_balancer_types?name=${name}`)
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.body.load_balancer_types, [])
    }
    assert.equal((await api.get('/load_balancer_types?sort=name:desc')).status, 200)
  })

  test('pages cover the list once', async () => {
    const { api } = await open()
    const [first, second] = [
      await api.get('/load_balancer_types?per_page=2'),
      await api.get('/load_balancer_types?per_page=2&page=2'),
    ]
    assert.deepEqual([...names(first), ...names(second)], ['lb11', 'lb21', 'lb31'])
    assert.equal(first.body.meta.pagination.next_page, 2)
    assert.equal(second.body.meta.pagination.next_page, null)
  })

  test('a type leaves the lists after the end of its deprecation', async () => {
    const clock = testClock(deprecation.unavailable_after)
    const { api } = await open({ catalogue, clock })
    const priced = async () =>
      (await api.get('/pricing')).body.pricing.load_balancer_types.map(({ name }: { name: string }) => name)
    assert.deepEqual(names(await api.get('/load_balancer_types')), ['lb11', 'lb21', 'lb31'])
    assert.deepEqual(await priced(), ['lb11', 'lb21', 'lb31'])
    clock.advance(1_000)
    assert.deepEqual(names(await api.get('/load_balancer_types')), ['lb21', 'lb31'])
    assert.deepEqual(await priced(), ['lb21', 'lb31'])
    const { load_balancer_type: type } = (await api.get('/load_balancer_types/1')).body
    assert.deepEqual(type.deprecation, {
      announced: deprecation.announced,
      unavailable_after: deprecation.unavailable_after,
    })
  })

  test('nobody knows of a deprecation before it is announced', async () => {
    const clock = testClock('2026-10-10T05:59:59Z')
    const { api } = await open({ catalogue, clock })
    const shown = async () => {
      const { deprecation: present, deprecated } = (await api.get('/load_balancer_types/1')).body.load_balancer_type
      return [present === null, deprecated]
    }
    assert.deepEqual(await shown(), [true, null])
    clock.advance(1_000)
    assert.deepEqual(await shown(), [false, deprecation.announced])
  })

  test('the field deprecated is there until 2 November 2026', async () => {
    const clock = testClock('2026-11-01T23:59:59Z')
    const { api } = await open({ catalogue, clock })
    const shown = async () => (await api.get('/load_balancer_types')).body.load_balancer_types
    assert.deepEqual(
      (await shown()).map(({ deprecated }: { deprecated: string | null }) => deprecated),
      [deprecation.announced, null, null],
    )
    clock.advance(1_000)
    for (const type of await shown()) assert.ok(!('deprecated' in type))
  })

  test('an operator may have types of his own, or none', async () => {
    const [lb11] = builtIn.load_balancer_types
    const own = { ...lb11!, id: 77, name: 'tiny', max_targets: 1 }
    const { api } = await open({ catalogue: openCatalogue({ ...builtIn, load_balancer_types: [own] }) })
    assert.deepEqual(names(await api.get('/load_balancer_types')), ['tiny'])
    assert.equal((await api.get('/load_balancer_types/77')).body.load_balancer_type.max_targets, 1)
    const { api: bare } = await open({ catalogue: openCatalogue({ ...builtIn, load_balancer_types: [] }) })
    assert.deepEqual(names(await bare.get('/load_balancer_types')), [])
  })

  test('an unknown id is not found, and nobody writes', async () => {
    const { api } = await open()
    for (const id of ['14321', 'lb11']) {
      const missing = await api.get(`/load_balancer_types/${id}`)
      assert.equal(missing.status, 404)
      assert.equal(missing.body.error.code, 'not_found')
    }
    for (const refused of [
      await api.post('/load_balancer_types', {}),
      await api.put('/load_balancer_types/1', {}),
      await api.delete('/load_balancer_types/1'),
    ]) {
      assert.equal(refused.status, 405)
      assert.equal(refused.body.error.code, 'method_not_allowed')
    }
  })
})
