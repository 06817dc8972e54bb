import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkConsistency } from '../../../test/kit/consistency.ts'
import { type Client, forEachDatabase, testClock, type World } from '../../../test/kit/harness.ts'
import { expect } from '../../../test/kit/resources.ts'
import { newServer } from '../servers/proof.ts'

interface Image {
  readonly id: number
  readonly type: string
  readonly name: string | null
  readonly created: string
}

async function listAll(api: Client, query = ''): Promise<Image[]> {
  const images: Image[] = []
  for (let page: number | null = 1; page !== null; ) {
    const { body } = expect(await api.get(`/images?page=${page}&${query}`), 200)
    images.push(...body.images)
    page = body.meta.pagination.next_page
  }
  return images
}

const idsOf = (images: readonly Image[]) => images.map(({ id }) => id)

/** A world with a server of each architecture, some snapshots and a backup, one day apart. */
async function openGallery(open: (options: object) => Promise<World>) {
  const clock = testClock('2022-01-01T00:00:00Z')
  const world = await open({ runActions: false, clock })
  const { api, settle } = world
  const x86 = await newServer(api, 'x86')
  const arm = await newServer(api, 'arm', { server_type: 'cax11' })
  await settle()
  expect(await api.post(`/servers/${x86}/actions/enable_backup`), 201)
  const make = async (server: number, body: object): Promise<number> => {
    const { image } = expect(await api.post(`/servers/${server}/actions/create_image`, body), 201).body
    await settle()
    clock.advance(400 * 86_400_000)
    return image.id
  }
  const first = await make(x86, { labels: { stage: 'prod' } })
  const backup = await make(x86, { type: 'backup', labels: { stage: 'test' } })
  const second = await make(arm, { description: 'second' })
  clock.set('2026-11-21T12:00:00Z')
  return { ...world, world, x86, arm, first, backup, second }
}

forEachDatabase('images of a Project', (open) => {
  test('one list has the images of the installation and of the Project, in order and once over its pages', async () => {
    const { api, foreign, first, backup, second } = await openGallery(open)
    const own = [first, backup, second]
    const catalogue = await listAll(foreign)
    const all = await listAll(api)
    assert.deepEqual(idsOf(all), [...idsOf(catalogue), ...own])
    for (const perPage of [1, 3, 7, 50]) {
      assert.deepEqual(idsOf(await listAll(api, `per_page=${perPage}`)), idsOf(all), `per_page=${perPage}`)
    }
    const { pagination } = (await api.get('/images?per_page=2&page=3')).body.meta
    assert.equal(pagination.total_entries, all.length)
    assert.equal(pagination.last_page, Math.ceil(all.length / 2))
    assert.deepEqual((await api.get('/images?per_page=50&page=9')).body.images, [])
  })

  test('a list that was asked for before says what is there now', async () => {
    const { api, x86, first, backup, second, world, settle } = await openGallery(open)
    const { clock } = world
    const queries = ['', 'per_page=3', 'per_page=50', 'type=snapshot&type=backup', 'sort=created:desc&per_page=7']
    /** Asks for each list twice: the second time nothing has changed. */
    const lists = async () => {
      const all = await Promise.all(queries.map((query) => api.get(`/images?${query}`)))
      for (const [index, query] of queries.entries()) {
        assert.equal((await api.get(`/images?${query}`)).text, all[index]!.text, query)
        const own = all[index]!.body.images.filter(({ type }: Image) => type === 'snapshot' || type === 'backup')
        for (const image of own) assert.deepEqual((await api.get(`/images/${image.id}`)).body.image, image)
      }
      return all.map(({ body }) => body)
    }
    const shown = async (id: number) => (await lists())[3]!.images.find((image: Image) => image.id === id)
    const total = async () => (await lists())[0]!.meta.pagination.total_entries
    const before = await total()
    expect(await api.put(`/images/${first}`, { description: 'other' }), 200)
    assert.equal((await shown(first)).description, 'other')
    expect(await api.put(`/images/${first}`, { labels: { stage: 'gone' } }), 200)
    assert.deepEqual((await shown(first)).labels, { stage: 'gone' })
    // This writes the row without a new version of it.
    expect(await api.post(`/images/${first}/actions/change_protection`, { delete: true }), 201)
    assert.deepEqual((await shown(first)).protection, { delete: true })
    expect(await api.post(`/images/${first}/actions/change_protection`, { delete: false }), 201)
    assert.deepEqual((await shown(first)).protection, { delete: false })
    expect(await api.put(`/images/${backup}`, { type: 'snapshot' }), 200)
    assert.deepEqual([(await shown(backup)).type, (await shown(backup)).bound_to], ['snapshot', null])
    const { image } = expect(await api.post(`/servers/${x86}/actions/create_image`, {}), 201).body
    assert.equal((await shown(image.id)).status, 'creating')
    await settle()
    assert.equal((await shown(image.id)).status, 'available')
    assert.equal(await total(), before + 1)
    for (const id of [image.id, first, second, backup]) expect(await api.delete(`/images/${id}`), 204)
    assert.deepEqual((await lists())[3]!.images, [])
    assert.equal(await total(), before - 3)
    const listed = async () => idsOf((await lists())[2]!.images)
    const named = async () => (await api.get('/images?name=debian-11&include_deprecated=true')).body.images
    const [deprecated] = await named()
    clock.set('2026-08-31T07:59:59Z')
    assert.ok((await listed()).includes(deprecated.id))
    assert.equal((await named())[0].deprecation, null)
    clock.advance(1_000)
    assert.ok(!(await listed()).includes(deprecated.id))
    assert.deepEqual((await named())[0].deprecation, deprecated.deprecation)
  })

  test('they are sorted together', async () => {
    const { api } = await openGallery(open)
    const all = await listAll(api)
    const by = (order: (a: Image, b: Image) => number) => idsOf(all.toSorted((a, b) => order(a, b)))
    const created = (a: Image, b: Image) => (a.created < b.created ? -1 : a.created > b.created ? 1 : a.id - b.id)
    for (const perPage of [3, 50]) {
      const sorted = async (sort: string) => idsOf(await listAll(api, `per_page=${perPage}&sort=${sort}`))
      assert.deepEqual(await sorted('id:desc'), idsOf(all).reverse())
      assert.deepEqual(await sorted('created'), by(created))
      assert.deepEqual(await sorted('created:desc'), by(created).reverse())
      // What has no name comes last.
      const names = (await listAll(api, `per_page=${perPage}&sort=name&sort=id`)).map(({ name }) => name)
      const known = all.flatMap(({ name }) => (name === null ? [] : [name]))
      assert.deepEqual(names, [...known.sort(), null, null, null])
    }
  })

  test('every filter narrows both kinds', async () => {
    const { api, x86, arm, first, backup, second, foreign } = await openGallery(open)
    const found = async (query: string) => idsOf(await listAll(api, query))
    const catalogue = idsOf(await listAll(foreign))
    assert.deepEqual(await found('type=snapshot'), [first, second])
    assert.deepEqual(await found('type=backup'), [backup])
    assert.deepEqual(await found('type=snapshot&type=backup'), [first, backup, second])
    assert.deepEqual(await found('type=system&type=app'), catalogue)
    assert.deepEqual(await found('type=snapshot&status=creating'), [])
    assert.deepEqual(await found('status=available'), [...catalogue, first, backup, second])
    assert.deepEqual(await found(`bound_to=${x86}`), [backup])
    assert.deepEqual(await found(`bound_to=${x86}&bound_to=${arm}`), [backup])
    assert.deepEqual(await found(`bound_to=${arm}`), [])
    assert.deepEqual(await found('architecture=arm&type=snapshot'), [second])
    assert.equal((await found('architecture=arm')).at(-1), second)
    assert.deepEqual(await found('label_selector=stage'), [first, backup])
    assert.deepEqual(await found('label_selector=stage=prod'), [first])
    assert.deepEqual(await found('label_selector=!stage'), [...catalogue, second])
    assert.deepEqual(await found('label_selector=!stage&per_page=4&type=snapshot'), [second])
    assert.deepEqual(await found('name=x86'), [])
    const own = [first, backup, second]
    assert.deepEqual(
      (await found('include_deprecated=true')).filter((id) => own.includes(id)),
      own,
    )
    await api.post(`/servers/${arm}/actions/create_image`, {})
    assert.equal((await found('status=creating')).length, 1)
    assert.deepEqual((await foreign.get('/images?type=snapshot')).body.images, [])
  })

  test('description and labels of snapshots and backups can be changed, nothing of the installation', async () => {
    const { api, first, backup, world } = await openGallery(open)
    for (const id of [first, backup]) {
      const change = { description: 'new', labels: { stage: 'new' } }
      const { image } = expect(await api.put(`/images/${id}`, change), 200).body
      assert.deepEqual([image.description, image.labels], ['new', { stage: 'new' }])
      assert.deepEqual((await api.get(`/images/${id}`)).body.image, image)
      assert.deepEqual((await api.put(`/images/${id}`, {})).body.image, image)
    }
    assert.deepEqual(idsOf(await listAll(api, 'label_selector=stage=new')), [first, backup])
    expect(await api.put('/images/161547269', { description: 'mine' }), 422, 'unsupported_error')
    expect(await api.delete('/images/161547269'), 422, 'unsupported_error')
    expect(await api.post('/images/161547269/actions/change_protection', { delete: true }), 422, 'unsupported_error')
    expect(await api.put(`/images/${first}`, { type: 'system' }), 422, 'invalid_input')
    expect(await api.put(`/images/${first}`, { labels: { 'a b': '' } }), 422, 'invalid_input')
    await checkConsistency(world)
  })

  test('a snapshot can be protected from deletion, a backup cannot', async () => {
    const { api, first, backup, settle } = await openGallery(open)
    const protect = (id: number, on: boolean) => api.post(`/images/${id}/actions/change_protection`, { delete: on })
    const { action } = expect(await protect(first, true), 201).body
    assert.deepEqual(
      [action.command, action.status, action.resources],
      ['change_protection', 'success', [{ id: first, type: 'image' }]],
    )
    assert.deepEqual((await api.get(`/images/${first}`)).body.image.protection, { delete: true })
    const refused = expect(await api.delete(`/images/${first}`), 423, 'protected')
    assert.equal(refused.body.error.message, 'snapshot deletion is protected')
    expect(await protect(backup, true), 422, 'unsupported_error')
    expect(await protect(first, false), 201)
    for (const id of [first, backup]) {
      assert.equal(expect(await api.delete(`/images/${id}`), 204).text, '')
      expect(await api.get(`/images/${id}`), 404, 'not_found')
      expect(await api.delete(`/images/${id}`), 404, 'not_found')
      expect(await protect(id, true), 404, 'not_found')
    }
    await settle()
    assert.deepEqual(idsOf(await listAll(api, 'type=backup')), [])
  })

  test('the actions of images are listed', async () => {
    const { api, first } = await openGallery(open)
    expect(await api.post(`/images/${first}/actions/change_protection`, { delete: true }), 201)
    const { actions } = expect(await api.get(`/images/${first}/actions`), 200).body
    assert.deepEqual(
      actions.map(({ command }: { command: string }) => command),
      ['change_protection'],
    )
    expect(await api.get(`/images/actions/${actions[0].id}`), 200)
    expect(await api.get('/images/161547269/actions'), 200)
    expect(await api.get('/images/12345/actions'), 404)
  })
})
