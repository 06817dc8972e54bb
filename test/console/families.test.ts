/** Every family of resources is known wherever the console deals with resources of any family. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expect, forConsole, press } from './harness.ts'

forConsole('families in the console', (open) => {
  test('are found by name in the palette, also those that have only a list', async () => {
    const { api, page, visit } = await open()
    const created = await Promise.all([
      api.post('/floating_ips', { type: 'ipv4', home_location: 'fsn1', name: 'entrance' }),
      api.post('/placement_groups', { type: 'spread', name: 'apart' }),
      api.post('/volumes', { size: 10, location: 'fsn1', name: 'disk' }),
    ])
    assert.deepEqual(
      created.map(({ status }) => status),
      [201, 201, 201],
    )
    // The palette offers what pages have read.
    await visit('P/volumes')
    await page.getByRole('link', { name: 'Floating IPs' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Floating IPs')
    await page.getByRole('link', { name: 'Placement groups' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Placement groups')
    for (const [name, kind, path] of [
      ['entrance', 'Floating IPs', '/floating-ips?q=entrance'],
      ['apart', 'Placement groups', '/placement-groups?q=apart'],
      ['disk', 'Volumes', '/volumes/'],
    ] as const) {
      await press(page, 'Control+k')
      await page.getByRole('combobox', { name: 'Search or run a command' }).fill(name)
      await expect(page.getByRole('option', { name: `${name} ${kind}` })).toBeVisible()
      await press(page, 'Enter')
      await expect(page).toHaveURL((url) => `${url.pathname}${url.search}`.includes(path))
      await expect(page.getByRole('main')).toContainText(name)
    }
  })
})
