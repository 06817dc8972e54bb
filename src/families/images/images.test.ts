import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, type Client, forEachDatabase, testClock } from '../../../test/kit/harness.ts'

interface Image {
  readonly id: number
  readonly type: string
  readonly name: string
  readonly architecture: string
  readonly created: string
}

const ids = ({ body }: Answer): number[] => body.images.map((image: Image) => image.id)

/** Every image that the query gives, over as many pages as it takes. */
async function listAll(api: Client, query = ''): Promise<Image[]> {
  const images: Image[] = []
  for (let page: number | null = 1; page !== null; ) {
    const answer = await api.get(`/images?page=${page}&${query}`)
    assert.equal(answer.status, 200)
    images.push(...answer.body.images)
    page = answer.body.meta.pagination.next_page
  }
  return images
}

forEachDatabase('images', (open) => {
  test('a system image is found by id and by name and architecture, with all its fields', async () => {
    const { api } = await open()
    const { image } = (await api.get('/images/161547269')).body
    assert.deepEqual(image, {
      id: 161547269,
      type: 'system',
      status: 'available',
      name: 'ubuntu-24.04',
      description: 'Ubuntu 24.04',
      image_size: null,
      disk_size: 5,
      created: '2024-04-25T13:26:27Z',
      created_from: null,
      bound_to: null,
      os_flavor: 'ubuntu',
      os_version: '24.04',
      architecture: 'x86',
      rapid_deploy: true,
      protection: { delete: false },
      labels: {},
      deprecation: null,
      deleted: null,
    })
    assert.deepEqual((await api.get('/images?name=ubuntu-24.04&architecture=x86')).body.images, [image])
  })

  test('a name stands for one image of each architecture', async () => {
    const { api } = await open()
    assert.deepEqual(ids(await api.get('/images?name=debian-12')), [114690387, 114690389])
    assert.deepEqual(ids(await api.get('/images?name=debian-12&architecture=arm')), [114690389])
    const both = await api.get('/images?name=debian-12&architecture=arm&architecture=x86')
    assert.deepEqual(ids(both), [114690387, 114690389])
    for (const name of ['debian', 'Debian-12', '']) {
      const none = await api.get(`/images?name=${name}`)
      assert.equal(none.status, 200)
      assert.deepEqual(none.body.images, [])
    }
  })

  test('the list is in the order of ids and pages cover it once', async () => {
    const { api } = await open()
    const all = (await listAll(api)).map((image) => image.id)
    assert.ok(all.length > 3)
    assert.deepEqual(
      all,
      [...new Set(all)].sort((a, b) => a - b),
    )
    assert.deepEqual(
      (await listAll(api, 'per_page=7')).map((image) => image.id),
      all,
    )
    const { pagination } = (await api.get('/images?per_page=7&page=2')).body.meta
    assert.deepEqual(pagination, {
      page: 2,
      per_page: 7,
      previous_page: 1,
      next_page: 3,
      last_page: Math.ceil(all.length / 7),
      total_entries: all.length,
    })
  })

  test('types, architectures and states narrow the list; repeated values widen it', async () => {
    const { api } = await open()
    const all = await listAll(api)
    const arm = await listAll(api, 'architecture=arm')
    assert.ok(arm.length > 2)
    assert.ok(arm.every((image) => image.architecture === 'arm'))
    const apps = await listAll(api, 'type=app')
    assert.ok(apps.length > 0)
    assert.ok(apps.every((image) => image.type === 'app'))
    assert.deepEqual(await listAll(api, 'type=app&type=system'), all)
    assert.deepEqual(await listAll(api, 'type=snapshot&type=backup'), [])
    assert.deepEqual(await listAll(api, 'type=snapshot&type=app'), apps)
    assert.deepEqual(await listAll(api, 'status=available'), all)
    assert.deepEqual(await listAll(api, 'status=creating'), [])
    assert.deepEqual(await listAll(api, 'status=creating&status=available'), all)
    assert.deepEqual(
      await listAll(api, 'type=app&architecture=arm'),
      apps.filter((image) => image.architecture === 'arm'),
    )
  })

  test('system images belong to no server', async () => {
    const { api } = await open()
    assert.deepEqual(await listAll(api, 'bound_to=42'), [])
    assert.deepEqual(await listAll(api, 'bound_to=42&bound_to=43&type=system'), [])
  })

  test('system images have no labels: only selectors that hold without any choose them', async () => {
    const { api } = await open()
    const arm = await listAll(api, 'architecture=arm')
    assert.deepEqual(await listAll(api, 'architecture=arm&label_selector=!key'), arm)
    assert.deepEqual(await listAll(api, 'architecture=arm&label_selector='), arm)
    for (const selector of ['key', 'key=value', 'key!=value', '!other,key', 'key in (a,b)', 'key notin (a,b)']) {
      assert.deepEqual(await listAll(api, `label_selector=${encodeURIComponent(selector)}`), [])
    }
  })

  test('the list sorts by id, name and time of creation', async () => {
    const { api } = await open()
    const all = await listAll(api)
    const idsBy = (images: Image[]) => images.map((image) => image.id)
    const by = (field: 'id' | 'name' | 'created') => (a: Image, b: Image) =>
      a[field] < b[field] ? -1 : a[field] > b[field] ? 1 : a.id - b.id
    for (const field of ['id', 'name', 'created'] as const) {
      assert.deepEqual(idsBy(await listAll(api, `sort=${field}`)), idsBy(all.toSorted(by(field))))
      assert.deepEqual(
        idsBy(await listAll(api, `sort=${field}:desc&sort=id:desc`)),
        idsBy(all.toSorted(by(field)).reverse()),
      )
    }
    const newest = (await api.get('/images?architecture=x86&sort=created:desc&per_page=1')).body.images[0]
    assert.equal(newest.name, 'ubuntu-26.04')
  })

  test('deprecated images are listed on demand, until nobody can order them', async () => {
    const clock = testClock()
    const { api } = await open({ clock })
    assert.deepEqual(ids(await api.get('/images?name=debian-11')), [])
    assert.deepEqual(ids(await api.get('/images?name=debian-11&include_deprecated=false')), [])
    for (const no of ['0', 'f', 'F', 'FALSE', 'False']) {
      assert.deepEqual(ids(await api.get(`/images?name=debian-11&include_deprecated=${no}`)), [], no)
    }
    for (const yes of ['1', 't', 'T', 'TRUE', 'True', '']) {
      assert.equal(
        ids(await api.get(`/images?name=debian-11&architecture=x86&include_deprecated=${yes}`)).length,
        1,
        yes,
      )
    }
    for (const bad of ['yes', 'tRUE', '2']) {
      assert.equal((await api.get(`/images?include_deprecated=${bad}`)).status, 422, bad)
    }
    const shown = await api.get('/images?name=debian-11&architecture=x86&include_deprecated=true')
    assert.equal(shown.body.images.length, 1)
    const [image] = shown.body.images
    assert.deepEqual(image.deprecation, {
      announced: '2026-08-31T08:00:00Z',
      unavailable_after: '2027-08-31T23:59:59Z',
    })
    clock.set('2026-08-31T07:59:59Z')
    const before = (await api.get('/images?name=debian-11&architecture=x86')).body.images
    assert.deepEqual([before[0].id, before[0].deprecation], [image.id, null])
    clock.set(image.deprecation.unavailable_after)
    assert.deepEqual(ids(await api.get('/images?name=debian-11&architecture=x86&include_deprecated=true')), [image.id])
    clock.advance(1_000)
    assert.deepEqual(ids(await api.get('/images?name=debian-11&include_deprecated=true')), [])
    assert.deepEqual((await api.get(`/images/${image.id}`)).body.image, image)
  })

  test('the field deprecated is there until 2 November 2026', async () => {
    const clock = testClock('2026-11-01T23:59:59Z')
    const { api } = await open({ clock })
    const old = async () => (await api.get('/images?name=debian-11&include_deprecated=true')).body.images[0]
    const current = async () => (await api.get('/images/161547269')).body.image
    assert.equal((await old()).deprecated, '2026-08-31T08:00:00Z')
    assert.equal((await current()).deprecated, null)
    clock.advance(1_000)
    assert.ok(!('deprecated' in (await old())))
    assert.ok(!('deprecated' in (await current())))
  })

  test('a filter that cannot be read is refused with its name', async () => {
    const { api } = await open()
    for (const [field, query] of [
      ['bound_to', 'bound_to=my-server'],
      ['type', 'type=iso'],
      ['status', 'status=lost'],
      ['architecture', 'architecture=riscv'],
      ['include_deprecated', 'include_deprecated=maybe'],
      ['label_selector', 'label_selector=a%20b'],
      ['sort', 'sort=description'],
      ['per_page', 'per_page=0'],
    ]) {
      const refused = await api.get(`/images?${query}`)
      assert.equal(refused.status, 422, query)
      assert.equal(refused.body.error.code, 'invalid_input')
      assert.deepEqual(
        refused.body.error.details.fields.map((problem: { name: string }) => problem.name),
        [field],
      )
    }
  })

  test('an unknown id is not found, and nobody writes', async () => {
    const { api } = await open()
    for (const id of ['12345', 'ubuntu-24.04']) {
      const missing = await api.get(`/images/${id}`)
      assert.equal(missing.status, 404)
      assert.equal(missing.body.error.code, 'not_found')
    }
    const refused = await api.post('/images', {})
    assert.equal(refused.status, 405)
    assert.equal(refused.body.error.code, 'method_not_allowed')
  })
})
