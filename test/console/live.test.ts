/** What open pages learn of the server: changes elsewhere, that it is away, that it has had enough, that it is a new one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserContext, Request } from 'playwright-core'
import { type Console, expect, forConsole, press } from './harness.ts'

/** More than browsers open connections to one server. */
const tabs = 7
const isStream = (request: Request) => request.url().endsWith('/events')

function streamsOf(context: BrowserContext): string[] {
  const streams: string[] = []
  context.on('request', (request) => void (isStream(request) && streams.push(request.url())))
  return streams
}

async function oneServer({ api, world }: Console): Promise<number> {
  const { body } = await api.post('/servers', { name: 'web-1', server_type: 'cx23', image: 'debian-12' })
  await world.settle()
  return body.server.id as number
}

forConsole(
  'open pages of the console',
  (open) => {
    test('share one stream of events, which another tab takes over when its own is closed', async () => {
      const console = await open()
      const id = await oneServer(console)
      const { api, context, page, project, origin } = console
      const streams = streamsOf(context)
      await console.visit('P/servers')
      await expect.poll(() => streams.length).toBe(1)
      const others = []
      for (let tab = 1; tab < tabs; tab++) others.push(await context.newPage())
      for (const other of others) await other.goto(`${origin}/console/projects/${project}/servers`)
      const last = others.at(-1)!.getByRole('table')
      await expect(last).toContainText('Running')
      await api.post(`/servers/${id}/actions/poweroff`)
      await expect(last).toContainText('Off')
      assert.equal(streams.length, 1)
      const next = context.waitForEvent('request', isStream)
      await page.close()
      await next
      await api.post(`/servers/${id}/actions/poweron`)
      await expect(last).toContainText('Running')
    })

    test('ask from time to time where there is no stream', async () => {
      const console = await open()
      const { page } = console
      console.allow(/status of 503/)
      await page.clock.install()
      await page.route(/\/events$/, (route) => route.fulfill({ status: 503 }))
      const refused = page.waitForRequest(isStream)
      await console.visit('P/servers')
      await refused
      await oneServer(console)
      await page.clock.fastForward(21_000)
      await expect(page.getByRole('link', { name: 'web-1' })).toBeVisible()
    })

    test('say since when the server does not answer, and go on when it does', async () => {
      const console = await open()
      const { page } = console
      console.allow(/ERR_CONNECTION_REFUSED/)
      await page.clock.install()
      await console.visit('P/servers')
      await page.route(/\/console\/api\//, (route) => route.abort('connectionrefused'))
      await press(page, 'g', 'v')
      await expect(page.getByText(/The server does not answer\. What you see is from \d/)).toBeVisible()
      await page.unroute(/\/console\/api\//)
      await page.clock.fastForward(31_000)
      await expect(page.getByText('The server does not answer')).toHaveCount(0)
    })

    test('say when too many requests are over, and go on by themselves', async () => {
      const console = await open()
      await oneServer(console)
      const { page } = console
      // A page that does not ask for the servers itself.
      await console.visit('P/certificates')
      await page.waitForLoadState('networkidle')
      const error = { code: 'rate_limit_exceeded', message: 'too many', details: null }
      await page.route(
        /\/v1\/servers\?/,
        (route) =>
          route.fulfill({
            status: 429,
            headers: { 'ratelimit-limit': '1', 'ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 3) },
            json: { error },
          }),
        { times: 1 },
      )
      await press(page, 'g', 's')
      await expect(page.getByText(/Too many requests\. This goes on by itself/)).toBeVisible()
      await expect(page.getByRole('link', { name: 'web-1' })).toBeVisible()
    })

    test('are loaded again, once, when their files went with an upgrade', async () => {
      const console = await open()
      const { page } = console
      await console.visit('P/servers')
      await page.waitForLoadState('networkidle')
      let loads = 0
      page.on('load', () => loads++)
      await page.route(/\/assets\/.*\.js$/, (route) => route.fulfill({ status: 404 }), { times: 1 })
      await press(page, 'g', 'v')
      await expect(page.getByRole('heading', { level: 1 })).toContainText('Volumes')
      assert.equal(loads, 1)
    })
  },
  ['sqlite'],
)
