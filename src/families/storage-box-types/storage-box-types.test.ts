import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, forProjects, testClock } from '../../../test/kit/harness.ts'
import { assertRefused } from '../../../test/kit/refusals.ts'
import { builtIn } from '../../catalogue/built-in.ts'
import { openCatalogue } from '../../catalogue/catalogue.ts'
import { parseCatalogue } from '../../catalogue/file.ts'

const names = ({ body }: Answer): string[] => body.storage_box_types.map((type: { name: string }) => type.name)

const deprecation = { announced: '2026-10-10T06:00:00Z', unavailable_after: '2026-12-31T23:59:59Z' }

/** A catalogue in which bx11 is going. */
const catalogue = openCatalogue({
  ...builtIn,
  storage_box_types: builtIn.storage_box_types.map((type) => (type.name === 'bx11' ? { ...type, deprecation } : type)),
})

forProjects('types of Storage Boxes', (open) => {
  test('the list has the four types in the order of their ids, each with all its fields', async () => {
    const { api, readOnly } = await open()
    const answer = await api.get('/storage_box_types')
    assert.deepEqual(names(answer), ['bx11', 'bx21', 'bx31', 'bx41'])
    assert.equal(answer.body.meta.pagination.total_entries, 4)
    const { storage_box_type: type } = (await readOnly.get('/storage_box_types/1333')).body
    const { prices, ...rest } = type
    assert.deepEqual(rest, {
      id: 1333,
      name: 'bx11',
      description: 'BX11',
      snapshot_limit: 10,
      automatic_snapshot_limit: 10,
      subaccounts_limit: 100,
      size: 1_099_511_627_776,
      deprecation: null,
    })
    assert.deepEqual(prices[0], {
      location: 'fsn1',
      price_hourly: { net: '0.0051000000', gross: '0.0060690000000000' },
      price_monthly: { net: '3.2000000000', gross: '3.8080000000000000' },
      setup_fee: { net: '0.0000000000', gross: '0.0000000000000000' },
    })
    assert.deepEqual((await api.get('/storage_box_types?name=bx11')).body.storage_box_types, [type])
    const { pricing } = (await api.get('/pricing')).body
    assert.deepEqual(pricing.storage_box_types[0], { id: 1333, name: 'bx11', prices })
  })

  test('they are below the root of storage as well', async () => {
    const { api, baseUrl } = await open()
    const storage = (path: string) => api.get(`${new URL(baseUrl).origin}/storage/v1${path}`)
    for (const path of ['/storage_box_types', '/storage_box_types/1334', '/storage_box_types?per_page=1&page=2']) {
      assert.deepEqual((await storage(path)).body, (await api.get(path)).body)
    }
    assertRefused(await storage('/storage_box_types/7'), 'not_found')
    assertRefused(await storage('/servers'), 'not_found')
  })

  test('a type leaves the list after the end of its deprecation', async () => {
    const clock = testClock(deprecation.unavailable_after)
    const { api } = await open({ catalogue, clock })
    const priced = async () =>
      (await api.get('/pricing')).body.pricing.storage_box_types.map(({ name }: { name: string }) => name)
    assert.deepEqual(names(await api.get('/storage_box_types')), ['bx11', 'bx21', 'bx31', 'bx41'])
    clock.advance(1_000)
    assert.deepEqual(names(await api.get('/storage_box_types')), ['bx21', 'bx31', 'bx41'])
    assert.deepEqual(await priced(), ['bx21', 'bx31', 'bx41'])
    const { storage_box_type: type } = (await api.get('/storage_box_types/1333')).body
    assert.deepEqual(type.deprecation, deprecation)
  })

  test('an operator may have types of his own, in some locations, or none', async () => {
    const [bx11] = builtIn.storage_box_types
    const own = { ...bx11!, id: 77, name: 'tiny', size: 1, snapshot_limit: null, prices: bx11!.prices.slice(0, 1) }
    const { api } = await open({ catalogue: openCatalogue({ ...builtIn, storage_box_types: [own] }) })
    assert.deepEqual(names(await api.get('/storage_box_types')), ['tiny'])
    assert.equal((await api.get('/storage_box_types/77')).body.storage_box_type.snapshot_limit, null)
    const { api: bare } = await open({ catalogue: openCatalogue({ ...builtIn, storage_box_types: [] }) })
    assert.deepEqual(names(await bare.get('/storage_box_types')), [])
  })

  test('nobody writes them, and strangers do not read them', async () => {
    const { api, anonymous } = await open()
    assertRefused(await api.post('/storage_box_types', {}), 'method_not_allowed')
    assertRefused(await api.delete('/storage_box_types/1333'), 'method_not_allowed')
    assertRefused(await anonymous.get('/storage_box_types'), 'unauthorized')
  })
})

test('a file with types that disagree with it is refused, and one without has the built-in ones in its locations', () => {
  const { storage_box_types: types, ...rest } = structuredClone(builtIn)
  const whole = (given: unknown) => parseCatalogue({ ...rest, storage_box_types: given })
  const [first, second] = types
  assert.throws(() => whole([first, { ...second, id: first!.id }]), /storage_box_types\[1\]\.id: 1333 is already used/)
  assert.throws(() => whole([{ ...first, size: 0 }]), /storage_box_types\[0\]\.size: must be >= 1/)
  const elsewhere = [{ ...first!.prices[0]!, location: 'moon' }]
  assert.throws(() => whole([{ ...first, prices: elsewhere }]), /prices\[0\]\.location: there is no location "moon"/)
  const { storage_box_types: made } = parseCatalogue(rest)
  assert.deepEqual(
    made[0]!.prices.map(({ location }) => location),
    ['fsn1', 'hel1', 'nbg1'],
  )
  const extended = parseCatalogue({ extends: 'built-in', storage_box_types: [{ id: 1333, subaccounts_limit: 3 }] })
  assert.equal(extended.storage_box_types[0]!.subaccounts_limit, 3)
})
