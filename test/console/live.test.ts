/** What open pages learn of the server: changes elsewhere, that it is away, that it has had enough, that it is a new one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserContext, Page, Request } from 'playwright-core'
import { type Console, expect, forConsole, press } from './kit/harness.ts'
import { act, fill } from './kit/keyboard.ts'

/** More than browsers open connections to one server, by far. */
const tabs = 20
const isStream = (request: Request) => /\/events\b/.test(request.url())

function streamsOf(context: BrowserContext): string[] {
  const streams: string[] = []
  context.on('request', (request) => void (isStream(request) && streams.push(request.url())))
  return streams
}

declare const document: { dispatchEvent(event: Event): void }
declare const window: { dispatchEvent(event: Event): void }

/** Pages of a test are all seen, so they are told when they are not. */
function turn(hidden: boolean): void {
  Object.defineProperty(document, 'hidden', { value: hidden, configurable: true })
  document.dispatchEvent(new Event('visibilitychange'))
}

/** What pages say above all else, and since when it is so. */
const noAnswer = (page: Page) => page.getByText(/The server does not answer\. What you see is from \d/)

async function oneServer({ api, world }: Console): Promise<number> {
  const { body } = await api.post('/servers', { name: 'web-1', server_type: 'cx23', image: 'debian-12' })
  await world.settle()
  return body.server.id as number
}

forConsole('open pages of the console', (open) => {
  test('share one stream of events, which another tab takes over when its own is closed', async () => {
    const console = await open()
    const id = await oneServer(console)
    const { api, context, page, project, origin } = console
    const streams = streamsOf(context)
    await console.visit('P/servers')
    await expect.poll(() => streams.length).toBe(1)
    const others: Page[] = []
    for (let tab = 1; tab < tabs; tab++) others.push(await context.newPage())
    const all = [page, ...others]
    const show = (text: string) => Promise.all(all.map((one) => expect(one.getByRole('table')).toContainText(text)))
    await Promise.all(others.map((one) => one.goto(`${origin}/console/projects/${project}/servers`)))
    await show('Running')
    await api.post(`/servers/${id}/actions/poweroff`)
    await show('Off')
    const last = others.at(-1)!.getByRole('table')
    assert.equal(streams.length, 1)
    const next = context.waitForEvent('request', isStream)
    await page.close()
    await next
    await api.post(`/servers/${id}/actions/poweron`)
    await expect(last).toContainText('Running')
  })

  test('read what changed while nobody saw them once, when they are looked at', async () => {
    const console = await open()
    const id = await oneServer(console)
    const { api, context, page, project, origin } = console
    const seen = await context.newPage()
    await console.visit('P/servers')
    await seen.goto(`${origin}/console/projects/${project}/servers`)
    for (const one of [page, seen]) await expect(one.getByRole('table')).toContainText('Running')
    await page.evaluate(turn, true)
    let reads = 0
    page.on('request', (request) => void (/\/v1\/servers/.test(request.url()) && reads++))
    for (const [command, status] of Object.entries({ poweroff: 'Off', poweron: 'Running', shutdown: 'Off' })) {
      await api.post(`/servers/${id}/actions/${command}`)
      await expect(seen.getByRole('table')).toContainText(status)
    }
    assert.equal(reads, 0)
    await page.evaluate(turn, false)
    await expect(page.getByRole('table')).toContainText('Off')
    assert.equal(reads, 1)
  })

  test('all read everything again when more was missed than the server can tell', async () => {
    const console = await open()
    const { api, context, page, project, origin } = console
    // Of long lists nothing is read again but for what events name.
    const more = 51
    for (let index = 0; index < more; index++)
      await api.post('/placement_groups', { name: `group-${index}`, type: 'spread' })
    const away = Promise.withResolvers<void>()
    let streams = 0
    await context.route(/\/events\b/, async (route) => {
      streams += 1
      // It ends at once, and the browser comes back with a position of long ago.
      const begin = 'retry: 50\nid: 1-1-1\nevent: ready\ndata: {}\n\n'
      if (streams === 1) return route.fulfill({ contentType: 'text/event-stream', body: begin })
      await away.promise
      return route.continue()
    })
    const other = await context.newPage()
    await console.visit('P/placement-groups')
    await other.goto(`${origin}/console/projects/${project}/placement-groups`)
    const titles = [page, other].map((one) => one.getByRole('heading', { level: 1 }))
    for (const title of titles) await expect(title).toHaveText(`Placement groups ${more}`)
    await expect.poll(() => streams).toBe(2)
    await api.delete(`/placement_groups/${(await api.get('/placement_groups')).body.placement_groups[0].id}`)
    away.resolve()
    for (const title of titles) await expect(title).toHaveText(`Placement groups ${more - 1}`)
  })

  test('ask from time to time where there is no stream, and try again to get one', async () => {
    const console = await open()
    const { page, context } = console
    console.allow(/status of 503/)
    await page.clock.install()
    await page.route(/\/events\b/, (route) => route.fulfill({ status: 503 }))
    const streams = streamsOf(context)
    /** Lets time go by until the stream is asked for that often, and tells how much. */
    const untilAsked = async (times: number) => {
      let seconds = 0
      const pass = async () => {
        await page.clock.fastForward(10_000)
        seconds += 10
        return streams.length
      }
      await expect.poll(pass, { intervals: [50] }).toBe(times)
      return seconds
    }
    await console.visit('P/servers')
    await expect.poll(() => streams.length).toBe(1)
    await oneServer(console)
    await page.clock.fastForward(21_000)
    await expect(page.getByRole('link', { name: 'web-1' })).toBeVisible()
    // The second attempt is soon; after it failed, too, the pauses grow.
    await expect.poll(() => streams.length).toBe(2)
    const pause = await untilAsked(3)
    assert.ok(pause >= 50, `after ${pause} s`)
    await page.unroute(/\/events\b/)
    const opened = page.waitForResponse((response) => isStream(response.request()) && response.ok())
    const longer = await untilAsked(4)
    assert.ok(longer >= pause + 30, `after ${longer} s`)
    await opened
  })

  test('say when nobody has done anything for a minute, so that what they ask keeps no session alive', async () => {
    const console = await open()
    const { page } = console
    console.allow(/status of 503/)
    await page.clock.install()
    await page.route(/\/events\b/, (route) => route.fulfill({ status: 503 }))
    await console.visit('P/servers')
    const asked: (string | undefined)[] = []
    page.on('request', (request) => {
      if (/\/v1\/servers/.test(request.url())) asked.push(request.headers()['wolke-background'])
    })
    const later = async () => {
      await page.clock.fastForward(21_000)
      return asked
    }
    await expect.poll(later, { intervals: [50] }).toContain('1')
    const before = asked.length
    const seen = async () => {
      await page.keyboard.press('Shift')
      return (await later()).slice(before)
    }
    await expect.poll(seen, { intervals: [50] }).toContain(undefined)
  })

  test('say since when the server does not answer, and go on when it does', async () => {
    const console = await open()
    const { page } = console
    console.allow(/ERR_CONNECTION_REFUSED/)
    await page.clock.install()
    await console.visit('P/servers')
    await page.route(/\/console\/api\//, (route) => route.abort('connectionrefused'))
    await press(page, 'g', 'v')
    await expect(noAnswer(page)).toBeVisible()
    await page.unroute(/\/console\/api\//)
    await page.clock.fastForward(31_000)
    await expect(page.getByText('The server does not answer')).toHaveCount(0)
  })

  test('say at once that the server is gone, even if nothing is asked for', async () => {
    const console = await open()
    const { page, context } = console
    console.allow(/ERR_CONNECTION_REFUSED/)
    const gone = Promise.withResolvers<void>()
    let streams = 0
    await context.route(/\/events\b/, async (route) => {
      streams += 1
      if (streams > 1) return route.abort('connectionrefused')
      await gone.promise
      return route.fulfill({ contentType: 'text/event-stream', body: 'retry: 1000\n\n' })
    })
    await console.visit('P/servers')
    await expect.poll(() => streams).toBe(1)
    await page.route(/\/console\/api\/wolke/, (route) => route.abort('connectionrefused'))
    gone.resolve()
    await expect(page.getByText('The server does not answer')).toBeVisible()
    // As soon as the stream is open again, so is everything.
    await context.unroute(/\/events\b/)
    await expect(page.getByText('The server does not answer')).toHaveCount(0)
  })

  test('say that a connection hangs, even if nothing is asked for, and go on when the network is back', async () => {
    const console = await open()
    const { page } = console
    await page.clock.install()
    await console.visit('P/servers')
    // It comes through the stream, which is open then and stays so.
    await oneServer(console)
    await expect(page.getByRole('link', { name: 'web-1' })).toBeVisible()
    await page.route(/\/console\/api\//, () => {})
    // Two beats are missing, and then the question whether the server is there has no answer.
    await page.clock.fastForward(13_000)
    await page.clock.fastForward(6_000)
    await expect(noAnswer(page)).toBeVisible()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.evaluate(() => window.dispatchEvent(new Event('online')))
    await expect(noAnswer(page)).toHaveCount(0)
  })

  test('say that what is asked for or changed has no answer, instead of waiting for ever', async () => {
    const console = await open()
    const { page } = console
    await page.clock.install()
    await console.visit('P/placement-groups')
    await page.waitForLoadState('networkidle')
    await press(page, 'c')
    await fill(page, 'Name', 'apart')
    await page.route(/\/console\/api\/.*\/v1\//, () => {})
    const sent = page.waitForRequest((request) => request.method() === 'POST')
    await act(page, 'Create placement group')
    await sent
    await page.clock.fastForward(61_000)
    await expect(noAnswer(page)).toBeVisible()
    await expect(page.getByRole('dialog')).toContainText('It is not known whether this was done.')
  })

  test('say at once that the browser has no network, and when it is back', async () => {
    const console = await open()
    const { page, context } = console
    console.allow(/ERR_INTERNET_DISCONNECTED/)
    await console.visit('P/servers')
    await page.waitForLoadState('networkidle')
    await context.setOffline(true)
    await expect(noAnswer(page)).toBeVisible()
    await context.setOffline(false)
    await expect(noAnswer(page)).toHaveCount(0)
  })

  test('say when the server was last heard', async () => {
    const console = await open()
    const { page } = console
    console.allow(/ERR_CONNECTION_REFUSED/)
    await page.clock.install({ time: new Date('2026-11-24T10:00:00') })
    await page.route(/\/events\b/, (route) => route.abort('connectionrefused'))
    await console.visit('P/servers')
    await page.waitForLoadState('networkidle')
    await page.route(/\/console\/api\//, (route) => route.abort('connectionrefused'))
    await page.clock.fastForward(600_000)
    await expect(page.getByText(/What you see is from 10:00/)).toBeVisible()
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

  test('say that they could not be loaded, where the files for it do not come either', async () => {
    const console = await open()
    const { page } = console
    console.allow(/ERR_CONNECTION_REFUSED|Failed to fetch dynamically/)
    await page.route(/\/assets\/(later|states)-/, (route) => route.abort('connectionrefused'))
    await console.visit('P/servers')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('This could not be loaded')
    await page.unroute(/\/assets\/(later|states)-/)
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Servers')
  })

  test('are loaded again, once, when their files went with an upgrade', async () => {
    const console = await open()
    const { page } = console
    console.allow(/status of 404 .*\/assets\//)
    await console.visit('P/servers')
    await page.waitForLoadState('networkidle')
    let loads = 0
    page.on('load', () => loads++)
    await page.route(/\/assets\/.*\.js$/, (route) => route.fulfill({ status: 404 }), { times: 1 })
    await press(page, 'g', 'v')
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Volumes')
    assert.equal(loads, 1)
  })
})
