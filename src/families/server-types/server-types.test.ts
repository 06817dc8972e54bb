import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, forProjects, testClock } from '../../../test/kit/harness.ts'

const ids = ({ body }: Answer): number[] => body.server_types.map((type: { id: number }) => type.id)

forProjects('server types', (open) => {
  test('the list is in the order of ids and begins with the two that clients expect', async () => {
    const { api } = await open()
    const answer = await api.get('/server_types?per_page=50')
    assert.equal(answer.status, 200)
    const [first, second] = answer.body.server_types
    assert.deepEqual([first.id, first.name, first.description, first.deprecation], [22, 'cpx11', 'CPX 11', null])
    assert.deepEqual([second.id, second.name, second.description, second.deprecation], [23, 'cpx21', 'CPX 21', null])
    assert.deepEqual([first.cores, first.memory, first.disk], [2, 2, 40])
    const found = ids(answer)
    assert.deepEqual(
      found,
      found.toSorted((a, b) => a - b),
    )
    assert.equal(answer.body.meta.pagination.total_entries, found.length)
  })

  test('a type is shown with all its fields in every location that offers it', async () => {
    const { api } = await open()
    const { server_type: type } = (await api.get('/server_types/109')).body
    const { prices, locations, ...rest } = type
    assert.deepEqual(rest, {
      id: 109,
      name: 'cpx22',
      description: 'CPX22',
      category: 'regular_purpose',
      cores: 2,
      memory: 4,
      disk: 80,
      storage_type: 'local',
      cpu_type: 'shared',
      architecture: 'x86',
      deprecation: null,
    })
    assert.deepEqual(
      locations.map((location: Record<string, unknown>) => [location.id, location.name, location.deprecation]),
      [
        [1, 'fsn1', null],
        [2, 'nbg1', null],
        [3, 'hel1', null],
        [6, 'sin', null],
      ],
    )
    for (const location of locations) {
      assert.equal(typeof location.available, 'boolean')
      assert.equal(typeof location.recommended, 'boolean')
    }
    assert.deepEqual(
      prices.map((price: { location: string }) => price.location),
      ['fsn1', 'hel1', 'nbg1', 'sin'],
    )
    assert.deepEqual(prices[0].price_monthly, { net: '19.4900000000', gross: '23.1931000000000000' })
    assert.equal(prices[0].included_traffic, 20 * 2 ** 40)
    assert.deepEqual(Object.keys(prices[0]), [
      'location',
      'price_hourly',
      'price_monthly',
      'included_traffic',
      'price_per_tb_traffic',
    ])
    assert.deepEqual((await api.get('/server_types?name=cpx22')).body.server_types, [type])
  })

  test('a type that no location offers any more is left out of the list and still found by its id', async () => {
    const { api } = await open()
    assert.ok(!ids(await api.get('/server_types?per_page=50')).includes(1))
    assert.deepEqual((await api.get('/server_types?name=cx11')).body.server_types, [])
    const { server_type: type } = (await api.get('/server_types/1')).body
    const deprecation = { announced: '2024-06-06T08:00:00Z', unavailable_after: '2024-09-06T00:00:00Z' }
    assert.equal(type.name, 'cx11')
    assert.deepEqual(type.deprecation, deprecation)
    assert.equal(type.locations[0].id, 1)
    for (const location of type.locations) {
      assert.deepEqual(location.deprecation, deprecation)
      assert.equal(typeof location.available, 'boolean')
      assert.equal(typeof location.recommended, 'boolean')
    }
  })

  test('the list goes by the clock: a type leaves it once its last offer has ended', async () => {
    const clock = testClock('2025-12-31T23:59:59Z')
    const { api } = await open({ clock })
    assert.deepEqual(ids(await api.get('/server_types?name=cx22')), [104])
    clock.advance(1_000)
    assert.deepEqual(ids(await api.get('/server_types?name=cx22')), [])
    assert.equal((await api.get('/server_types/104')).status, 200)
  })

  test('nobody knows of a deprecation before it is announced, and nothing is available after its end', async () => {
    const clock = testClock('2025-10-16T05:59:59Z')
    const { api } = await open({ clock })
    const shown = async () => {
      const { deprecation, deprecated, locations } = (await api.get('/server_types/104')).body.server_type
      return { deprecation, deprecated, ...locations[0] }
    }
    assert.deepEqual(await shown(), { deprecation: null, deprecated: false, id: 1, name: 'fsn1' })
    clock.advance(1_000)
    const formerly = { announced: '2025-10-16T06:00:00+00:00', unavailable_after: '2025-12-31T23:59:59+00:00' }
    assert.deepEqual(await shown(), { deprecation: formerly, deprecated: true, id: 1, name: 'fsn1' })
    clock.set('2026-04-01T00:00:00Z')
    const deprecation = { announced: '2025-10-16T06:00:00Z', unavailable_after: '2025-12-31T23:59:59Z' }
    const ended = { available: false, recommended: false }
    assert.deepEqual(await shown(), { deprecation, deprecated: true, id: 1, name: 'fsn1', ...ended })
  })

  test('the field deprecated is there until 2 November 2026', async () => {
    const clock = testClock('2026-11-01T23:59:59Z')
    const { api } = await open({ clock })
    assert.equal((await api.get('/server_types/1')).body.server_type.deprecated, true)
    assert.equal((await api.get('/server_types/109')).body.server_type.deprecated, false)
    assert.equal((await api.get('/server_types')).body.server_types[0].deprecated, false)
    clock.advance(1_000)
    assert.ok(!('deprecated' in (await api.get('/server_types/1')).body.server_type))
    assert.ok(!('deprecated' in (await api.get('/server_types')).body.server_types[0]))
  })

  test('the name filter is exact, and sort is tolerated', async () => {
    const { api } = await open()
    for (const name of ['cpx', 'CPX22', 'nothing']) {
      const answer = await api.get(`/server_types?name=${name}`)
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.body.server_types, [])
    }
    assert.equal((await api.get('/server_types?sort=cores:desc')).status, 200)
  })

  test('pages cover the list once', async () => {
    const { api } = await open()
    const all = ids(await api.get('/server_types?per_page=50'))
    const paged: number[] = []
    for (let page: number | null = 1; page !== null; ) {
      const answer = await api.get(`/server_types?per_page=10&page=${page}`)
      paged.push(...ids(answer))
      assert.equal(answer.body.meta.pagination.total_entries, all.length)
      assert.equal(answer.body.meta.pagination.last_page, Math.ceil(all.length / 10))
      page = answer.body.meta.pagination.next_page
    }
    assert.deepEqual(paged, all)
  })

  test('an unknown id is not found, and nobody writes', async () => {
    const { api } = await open()
    for (const id of ['14321', 'cpx22']) {
      const missing = await api.get(`/server_types/${id}`)
      assert.equal(missing.status, 404)
      assert.equal(missing.body.error.code, 'not_found')
    }
    for (const refused of [
      await api.post('/server_types', {}),
      await api.put('/server_types/109', {}),
      await api.delete('/server_types/109'),
    ]) {
      assert.equal(refused.status, 405)
      assert.equal(refused.body.error.code, 'method_not_allowed')
    }
  })
})
