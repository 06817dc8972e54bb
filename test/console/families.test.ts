/** Every family of resources is known wherever the console deals with resources of any family. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rounded } from '../../src/protocols/net/decimal.ts'
import { expect, forConsole, press } from './kit/harness.ts'

interface Monthly {
  readonly price_monthly: { readonly net: string }
}

interface Prices {
  readonly type?: string
  readonly prices: readonly Monthly[]
}

const netOf = ({ price_monthly: { net } }: Monthly) => net

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

  test('are found by their names in the palette, whatever was read, and it says so when there is none', async () => {
    const console = await open()
    const { page, api, visit } = console
    await api.post('/volumes', { name: 'far-away', size: 10, location: 'fsn1' })
    await visit('P/settings')
    await press(page, 'Control+k')
    const ask = page.getByRole('combobox', { name: 'Search or run a command' })
    for (const name of ['Create server', 'Theme: Dark', 'Language: Deutsch', 'Sign out', 'All Projects'])
      await expect(page.getByRole('option', { name })).toBeVisible()
    await ask.fill('far-away')
    await expect(page.getByRole('option', { name: 'far-away Volumes' })).toBeVisible()
    await ask.fill('nowhere-at-all')
    await expect(page.getByText('Nothing here has this name.').last()).toBeVisible()
    await ask.fill('create placement')
    await press(page, 'Enter')
    await expect(page.getByRole('dialog', { name: /placement group/i })).toBeVisible()
  })

  test('have one price each in the settings', async () => {
    const { api, page, visit } = await open()
    const { pricing } = (await api.get('/pricing')).body
    const monthly: string[] = pricing.server_types.flatMap(({ prices }: Prices) => prices.map(netOf))
    const ipv4 = (all: readonly Prices[]) => netOf(all.find(({ type }) => type === 'ipv4')!.prices[0]!)
    await visit('P/settings')
    const card = page.locator('dl', { hasText: 'Smallest server' })
    const rows = [
      ['Smallest server', rounded(monthly.sort((a, b) => Number(a) - Number(b))[0]!, 2)],
      ['Primary IPv4', rounded(ipv4(pricing.primary_ips), 2)],
      ['Floating IPv4', rounded(ipv4(pricing.floating_ips), 2)],
      ['Snapshot, per GB', rounded(pricing.image.price_per_gb_month.net, 4)],
      ['Volume, per GB', rounded(pricing.volume.price_per_gb_month.net, 4)],
    ] as const
    await expect(card.locator('dt')).toContainText(rows.map(([name]) => name))
    await expect(card.locator('dd')).toContainText(rows.map(([, amount]) => `€${amount}`))
  })

  test('and pages outside of Projects are offered where no Project is open', async () => {
    const { page, visit, name: project } = await open({ isOperator: true })
    await visit('/')
    await press(page, 'Control+k')
    const ask = page.getByRole('combobox', { name: 'Search or run a command' })
    for (const name of ['How you sign in', 'Health', 'Density: Compact']) {
      await ask.fill(name)
      await expect(page.getByRole('option', { name })).toBeVisible()
    }
    await ask.fill(project)
    await press(page, 'Enter')
    await expect(page).toHaveURL(/\/projects\/\d+$/)
  })

  test('may not be created by viewers, whom the palette tells why', async () => {
    const { page, visit } = await open({ role: 'viewer' })
    await visit('P')
    await press(page, 'Control+k')
    const create = page.getByRole('option', { name: /^Create server/ })
    await expect(create).toBeDisabled()
    await expect(create).toContainText('needs the role')
  })
})
