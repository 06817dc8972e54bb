/** Takes the pictures of the documentation, of a Project as it looks after half a year. Run by screenshots.ts. */
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Console, forConsole } from '../test/console/kit/harness.ts'
import { nordlicht } from '../test/console/states/nordlicht.ts'

interface Picture {
  readonly name: string
  readonly path: (console: Console) => string | Promise<string>
  readonly theme: 'light' | 'dark'
  readonly act?: (page: Page) => Promise<void>
}

const size = { width: 1440, height: 900 }
const folder = new URL('../docs/pictures/', import.meta.url)

const pictures: readonly Picture[] = [
  { name: 'overview', path: () => 'P', theme: 'light' },
  {
    name: 'servers',
    path: () => 'P/servers',
    theme: 'dark',
    async act(page) {
      for (const name of ['web-1', 'web-2', 'web-3'])
        await page.getByRole('checkbox', { name: `Select ${name}` }).check()
    },
  },
  {
    name: 'firewall',
    async path({ api }) {
      const { body } = await api.get('/firewalls?name=web')
      return `P/firewalls/${body.firewalls[0].id}/rules`
    },
    theme: 'light',
    act: changeRules,
  },
  { name: 'certificates', path: () => 'P/certificates', theme: 'dark' },
]

forConsole('pictures of the documentation', (open) => {
  test('are taken', async () => {
    const console = await open({ isAlone: true })
    const { page, world, api } = console
    await nordlicht(console)
    // The pictures show the new server on its way, because nothing that begins now ends.
    await world.app.engine.stop()
    await api.post('/servers', { name: 'web-4', server_type: 'cx33', location: 'nbg1', image: 'debian-13' })
    await page.setViewportSize(size)
    await page.clock.setSystemTime('2026-11-21T12:03:10Z')
    for (const { name, path, theme, act } of pictures) {
      await page.emulateMedia({ colorScheme: theme })
      await console.visit(await path(console))
      await act?.(page)
      await page.mouse.move(0, 0)
      await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => undefined)
      writeFileSync(new URL(`${name}.webp`, folder), await shot(page))
    }
  })
})

/** One rule is changed, one added and one removed. */
async function changeRules(page: Page): Promise<void> {
  const ports = page.getByRole('textbox', { name: /port/i })
  await ports.nth(2).fill('2222')
  await ports.last().press('Alt+Delete')
  await page.getByRole('button', { name: 'PostgreSQL' }).click()
  await page.keyboard.type('10.0.0.0/16')
  await page.keyboard.press('Enter')
  await page.getByText('3 changes').first().waitFor()
  await page.keyboard.press('Tab')
}

/** A small file that is sharp on dense screens. */
async function shot(page: Page): Promise<Buffer> {
  const devtools = await page.context().newCDPSession(page)
  const { data } = await devtools.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 80,
    clip: { x: 0, y: 0, ...size, scale: 1.25 },
  })
  await devtools.detach()
  return Buffer.from(data, 'base64')
}
