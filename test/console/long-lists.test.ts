/** Lists that are longer than one page, and longer than what is read at once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Console } from './kit/harness.ts'
import { expect, forConsole, press } from './kit/harness.ts'

/** More than the console reads without need. */
const count = 1_010
/** More than are drawn where nobody sees them. */
const many = 300

/** The last page of the whole list. */
const whole = 'servers?page=2&per_page=1000'

const options = { addressPool: ['10.0.0.0/16'], limits: { servers: count, primary_ips: count } }

/** `web-1` to so many, without waiting for them to start. */
async function manyServers({ api }: Console, wanted: number): Promise<void> {
  const names = Array.from({ length: wanted }, (_, index) => `web-${index + 1}`)
  const create = async () => {
    for (let name = names.pop(); name; name = names.pop()) {
      const public_net = { enable_ipv4: false, enable_ipv6: false }
      const body = { name, server_type: 'cx23', image: 'debian-13', public_net, start_after_create: false }
      assert.equal((await api.post('/servers', body)).status, 201)
    }
  }
  await Promise.all(Array.from({ length: 8 }, create))
}

forConsole('long lists in the console', (open) => {
  test('begin as the API sorts them, and are read whole when something needs all of them', async () => {
    const console = await open(options)
    await manyServers(console, count)
    await console.world.settle()
    const { page } = console
    const asked: string[] = []
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url())
      if (pathname.startsWith('/console/api/')) asked.push(`${pathname.split('/').at(-1)}${search}`)
    })
    await console.visit('P/servers')
    const rows = page.locator('tr[data-row]')
    await expect(rows).toHaveCount(50)
    await expect(page.getByRole('heading', { level: 1 })).toContainText('1,010')
    await expect(rows.first()).toContainText('web-1')
    await expect(rows.nth(1)).toContainText('web-10')
    await page.waitForLoadState('networkidle')
    const isStream = (one: string) => one.startsWith('events')
    assert.deepEqual(
      asked.slice(0, asked.findIndex(isStream)).sort(),
      ['projects?page=1&per_page=1000', 'servers?sort=name&per_page=50', 'whoami'],
      'what is asked for before the program is here is not asked for again by it',
    )
    assert.ok(!asked.includes(whole), 'a long list is not read whole without need')

    await press(page, '/')
    await page.keyboard.type('web-100')
    await expect(rows).toHaveCount(11)
    assert.ok(asked.includes(whole), asked.join())
    await page.getByRole('searchbox').fill('')
    await expect(rows.nth(1)).toContainText('web-10')
    // Somebody who sorts means it as people count.
    await console.visit('P/servers?sort=name')
    await expect(rows.nth(1)).toContainText('web-2')
  })

  test('of hundreds keep room for what is not in view, and show what came meanwhile', async () => {
    const console = await open(options)
    await manyServers(console, many)
    await console.world.settle()
    const { page, api } = console
    await console.visit('P/servers?page=0')
    const rows = page.locator('tr[data-row]')
    await expect(page.getByRole('navigation', { name: 'Pages' })).toContainText('300')
    await expect(page.getByRole('button', { name: 'Export as CSV' })).toBeEnabled()
    assert.ok((await rows.count()) < 100)
    await page.keyboard.press('End')
    await expect(rows.last()).toContainText('web-99')
    await api.delete(`/servers/${await rows.last().getAttribute('data-row')}`)
    await console.world.settle()
    await expect(rows.last()).toContainText('web-98')
  })
})
