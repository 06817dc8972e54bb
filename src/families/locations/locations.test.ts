import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, forProjects } from '../../../test/kit/harness.ts'

const names = ({ body }: Answer) => body.locations.map((location: { name: string }) => location.name)

forProjects('locations', (open) => {
  test('the list has the six locations in the order of their ids', async () => {
    const { api } = await open()
    const answer = await api.get('/locations')
    assert.equal(answer.status, 200)
    assert.deepEqual(
      answer.body.locations.map((location: Record<string, unknown>) => [
        location.id,
        location.name,
        location.description,
        location.network_zone,
      ]),
      [
        [1, 'fsn1', 'Falkenstein DC Park 1', 'eu-central'],
        [2, 'nbg1', 'Nuremberg DC Park 1', 'eu-central'],
        [3, 'hel1', 'Helsinki DC Park 1', 'eu-central'],
        [4, 'ash', 'Ashburn, VA', 'us-east'],
        [5, 'hil', 'Hillsboro, OR', 'us-west'],
        [6, 'sin', 'Singapore', 'ap-southeast'],
      ],
    )
    assert.deepEqual(answer.body.meta.pagination, {
      page: 1,
      per_page: 25,
      previous_page: null,
      next_page: null,
      last_page: 1,
      total_entries: 6,
    })
  })

  test('a location is found by its id with all its fields', async () => {
    const { api, readOnly } = await open()
    const answer = await readOnly.get('/locations/1')
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, {
      location: {
        id: 1,
        name: 'fsn1',
        description: 'Falkenstein DC Park 1',
        country: 'DE',
        city: 'Falkenstein',
        latitude: 50.47612,
        longitude: 12.370071,
        network_zone: 'eu-central',
      },
    })
    assert.deepEqual((await api.get('/locations?name=fsn1')).body.locations, [answer.body.location])
  })

  test('the name filter is exact, and an unknown name gives an empty list', async () => {
    const { api } = await open()
    assert.deepEqual(names(await api.get('/locations?name=hel1')), ['hel1'])
    for (const name of ['hel', 'HEL1', 'nowhere', '']) {
      const answer = await api.get(`/locations?name=${name}`)
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.body.locations, [])
      assert.equal(answer.body.meta.pagination.total_entries, 0)
    }
  })

  test('the list sorts by id and by name, up and down', async () => {
    const { api } = await open()
    assert.deepEqual(names(await api.get('/locations?sort=name')), ['ash', 'fsn1', 'hel1', 'hil', 'nbg1', 'sin'])
    assert.deepEqual(names(await api.get('/locations?sort=name:desc')), ['sin', 'nbg1', 'hil', 'hel1', 'fsn1', 'ash'])
    assert.deepEqual(names(await api.get('/locations?sort=id:desc')), ['sin', 'hil', 'ash', 'hel1', 'nbg1', 'fsn1'])
    const refused = await api.get('/locations?sort=city')
    assert.equal(refused.status, 422)
    assert.equal(refused.body.error.code, 'invalid_input')
    assert.equal(refused.body.error.details.fields[0].name, 'sort')
  })

  test('pages cover the list once, and a page past the end is empty', async () => {
    const { api } = await open()
    const second = await api.get('/locations?page=2&per_page=4')
    assert.deepEqual(names(second), ['hil', 'sin'])
    assert.deepEqual(second.body.meta.pagination, {
      page: 2,
      per_page: 4,
      previous_page: 1,
      next_page: null,
      last_page: 2,
      total_entries: 6,
    })
    assert.deepEqual(names(await api.get('/locations?page=9')), [])
    assert.equal((await api.get('/locations?per_page=51')).body.meta.pagination.per_page, 50)
  })

  test('an unknown id is not found, and nobody writes', async () => {
    const { api, anonymous } = await open()
    for (const id of ['7', '4711', 'fsn1', '0']) {
      const missing = await api.get(`/locations/${id}`)
      assert.equal(missing.status, 404)
      assert.equal(missing.body.error.code, 'not_found')
    }
    for (const refused of [
      await api.post('/locations', {}),
      await api.put('/locations/1', {}),
      await api.delete('/locations/1'),
    ]) {
      assert.equal(refused.status, 405)
      assert.equal(refused.body.error.code, 'method_not_allowed')
      assert.equal(refused.headers.get('allow'), 'GET, HEAD')
    }
    assert.equal((await anonymous.get('/locations')).status, 401)
  })
})
