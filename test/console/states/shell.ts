/** What lies on top of every page, and what every page can come to: menus, news, refused fields, other media. */
import type { Page } from 'playwright-core'
import { LabClock } from '../../../src/lab/clock.ts'
import { until } from '../../kit/database/bare-database.ts'
import { type Console, expect, press } from '../kit/harness.ts'
import { someServers } from './servers.ts'
import type { PageState } from './states.ts'

const servers = { path: 'P/servers', prepare: someServers } as const

/** Lets the server answer requests of one kind with a refusal, as often as it is asked. */
async function refuse(page: Page, url: RegExp, method: string, reply: { status: number; error: object }) {
  const headers = { 'ratelimit-limit': '1', 'ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 60) }
  await page.route(url, (route) =>
    route.request().method() === method
      ? route.fulfill({ status: reply.status, headers, json: { error: reply.error } })
      : route.fallback(),
  )
}

/** Makes the proof of everybody who is signed in an old one. */
async function forgetProofs({ world }: Console): Promise<void> {
  await world.db.transact((tx) => tx.query.updateTable('session').set({ elevated_until: 0 }).execute())
  world.app.people.sessions.forget()
}

const selected: Required<PageState>['act'] = ({ page }) => page.getByRole('checkbox', { name: 'Select web-1' }).check()

export const shellStates: readonly PageState[] = [
  {
    name: 'shell-account',
    ...servers,
    async act({ page }) {
      await page.getByRole('button', { name: /^Account of/ }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
    },
  },
  {
    name: 'shell-projects',
    ...servers,
    widths: [1280],
    async act({ page }) {
      await page.getByRole('button', { name: /Owner/ }).click()
      await page.getByRole('menuitem', { name: 'All Projects' }).waitFor()
    },
  },
  {
    name: 'shell-navigation',
    ...servers,
    widths: [375],
    async act({ page }) {
      await page.setViewportSize({ width: 375, height: 800 })
      await page.getByRole('button', { name: 'Menu' }).click()
      await page.getByRole('dialog').getByRole('link', { name: 'Firewalls' }).waitFor()
    },
  },
  {
    name: 'shell-tip',
    ...servers,
    widths: [1280],
    async act({ page }) {
      // Tips are loaded after the page, and only what points anew gets one.
      await expect(async () => {
        await page.mouse.move(0, 0)
        await page.getByRole('button', { name: 'Theme' }).hover()
        await expect(page.locator('.tip')).toBeVisible({ timeout: 1_000 })
      }).toPass()
    },
  },
  {
    name: 'shell-toast',
    ...servers,
    async act({ page, api, world }) {
      // Another state may have powered it on.
      const [{ id }] = (await api.get('/servers?name=build-1')).body.servers
      await api.post(`/servers/${id}/actions/poweroff`)
      await world.settle()
      await page
        .getByRole('row', { name: /build-1/ })
        .getByText('Off')
        .first()
        .waitFor()
      await refuse(page, /\/actions\/poweron/, 'POST', {
        status: 409,
        error: { code: 'conflict', message: 'not now', details: null },
      })
      await page.getByRole('button', { name: 'Actions for build-1' }).click()
      await page.getByRole('menuitem', { name: 'Power on' }).click()
      await page.getByRole('alert').filter({ hasText: 'build-1' }).waitFor()
    },
  },
  {
    name: 'shell-throttled',
    path: 'P/certificates',
    prepare: someServers,
    async act({ page }) {
      await refuse(page, /\/v1\/servers\?/, 'GET', {
        status: 429,
        error: { code: 'rate_limit_exceeded', message: 'too many', details: null },
      })
      await press(page, 'g', 's')
      await page.getByText(/^Too many requests/).waitFor()
      await page.locator('[data-coming] h1').waitFor({ state: 'attached' })
    },
  },
  {
    name: 'shell-lab',
    ...servers,
    options: { lab: new LabClock(Date.now(), 'running') },
    async act({ page }) {
      await page.getByText(/^Test lab: /).waitFor()
    },
  },
  {
    name: 'shell-offline',
    ...servers,
    async act({ page, allow }) {
      allow(/ERR_CONNECTION_REFUSED/)
      await page.route(/\/console\/api\//, (route) => route.abort('connectionrefused'))
      await press(page, 'g', 'v')
      // The stream of events goes on, and takes the note away when it tells something in this moment.
      const note = page.getByText(/^The server does not answer/)
      await until(async () => {
        if (await note.isVisible()) return true
        await page.evaluate("dispatchEvent(new Event('offline'))")
        return false
      })
    },
  },
  {
    name: 'form-refused',
    path: 'P/networks/new',
    async act({ page }) {
      await page.getByRole('textbox', { name: 'Range', exact: true }).fill('10.0.0.0/99')
      await page.getByRole('button', { name: 'Create network' }).click()
      await page.locator('[aria-invalid=true]').first().waitFor()
    },
  },
  {
    name: 'media-forced-colors',
    ...servers,
    media: { forcedColors: 'active' },
    async act(console) {
      const row = console.page.getByRole('row', { name: /web-1/ })
      await selected(console)
      // The colour that tells it otherwise is not there.
      await expect(row).toHaveCSS('outline-style', 'solid')
      await expect(console.page.locator('nav [aria-current]').first()).toHaveCSS('outline-style', 'solid')
    },
  },
  {
    name: 'media-more-contrast',
    ...servers,
    media: { contrast: 'more' },
    async act(console) {
      const { page } = console
      await selected(console)
      const ink = await page.locator('body').evaluate((body) => getComputedStyle(body).color)
      await expect(page.locator('main .faint').first()).toHaveCSS('color', ink)
    },
  },
  {
    name: 'shell-proof',
    path: 'P/security/tokens',
    async act(console) {
      const { page } = console
      await forgetProofs(console)
      await press(page, 'c')
      await page.getByRole('dialog').getByRole('textbox', { name: 'Description' }).fill('ci')
      await press(page, 'Enter')
      await page.getByRole('dialog', { name: 'Prove that it is you' }).waitFor()
    },
  },
]

declare const getComputedStyle: (element: unknown) => { readonly color: string }
