import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forProjects } from '../../../test/kit/harness.ts'
import { assertRefused } from '../../../test/kit/refusals.ts'

forProjects('Storage Boxes', (open) => {
  test('their list and that of their types are empty, page by page', async () => {
    const { api, readOnly, anonymous } = await open()
    for (const family of ['storage_boxes', 'storage_box_types']) {
      const { status, body } = await api.get(`/${family}?name=data&page=2&per_page=7`)
      assert.equal(status, 200)
      const pagination = { page: 2, per_page: 7, previous_page: 1, next_page: null, last_page: 1, total_entries: 0 }
      assert.deepEqual(body, { [family]: [], meta: { pagination } })
      assert.equal((await readOnly.get(`/${family}`)).body.meta.pagination.per_page, 25)
      assertRefused(await anonymous.get(`/${family}`), 'unauthorized')
      for (const bad of ['page=0', 'per_page=0', 'page=x']) {
        assertRefused(await api.get(`/${family}?${bad}`), 'invalid_input')
      }
    }
    assert.equal((await api.get('/storage_boxes?sort=stats.size:desc&label_selector=env%3Dprod')).status, 200)
    for (const bad of ['sort=size', 'label_selector=%3D']) {
      assertRefused(await api.get(`/storage_boxes?${bad}`), 'invalid_input')
    }
  })
})
