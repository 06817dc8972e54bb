/** Every page in the states that all pages have: read only, loading, failed, forbidden, of somebody else, and deleted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Request, Route } from 'playwright-core'
import { everyPage, harmless, type PageOfRoute } from './every-page.ts'
import { type Console, expect, forConsole, press } from './harness.ts'
import { judgeInShort } from './looks.ts'
import { begin, goTo, routesOf, settle } from './router.ts'
import { someBalancers } from './states/firewalls.ts'
import { publicKey, someZones } from './states/resources.ts'

/** What the functions find that run in the browser. */
declare const document: { querySelectorAll(selector: string): Iterable<Control>; getElementById(id: string): Control }
interface Control {
  readonly tagName: string
  readonly textContent: string
  readonly labels?: Iterable<Control>
  matches(selector: string): boolean
  getAttribute(name: string): string | null
  checkVisibility(): boolean
}

async function something(console: Console): Promise<void> {
  const { api, world } = console
  await someBalancers(console)
  await someZones(console)
  await api.post('/zones', { name: 'import.example', mode: 'primary' })
  await api.post('/firewalls', { name: 'spare', rules: [] })
  await api.post('/networks', {
    name: 'internal',
    ip_range: '10.0.0.0/16',
    subnets: [{ type: 'cloud', network_zone: 'eu-central', ip_range: '10.0.1.0/24' }],
  })
  await api.post('/volumes', { name: 'data', size: 10, location: 'fsn1' })
  await api.post('/ssh_keys', { name: 'laptop', public_key: publicKey })
  await api.post('/placement_groups', { name: 'apart', type: 'spread' })
  await api.post('/floating_ips', { name: 'www', type: 'ipv4', home_location: 'fsn1' })
  const { body } = await api.get('/servers?name=web-1')
  await api.post(`/servers/${body.servers[0].id}/actions/create_image`, { type: 'snapshot', description: 'before' })
  await world.settle()
}

async function pathOf({ api }: Console, { path, shows }: PageOfRoute): Promise<string> {
  if (!shows || !path.includes('{id}')) return path
  return path.replace('{id}', await idOf(api, shows))
}

/** Snapshots have a description instead of a name. */
async function idOf(api: Console['api'], [family, name]: readonly [string, string]): Promise<string> {
  const { body } = await api.get(family === 'images' ? '/images?type=snapshot' : `/${family}?name=${name}`)
  return String(body[family][0].id)
}

/** Goes to a page without loading the console again. */
async function go(console: Console, path: string): Promise<void> {
  const href = path.replace(/^P/, `/projects/${console.project}`)
  await goTo(console.page, href)
}

interface Found {
  readonly name: string
  readonly isOff: boolean
  readonly reason: string
}

/** The buttons and switches in view, and links to forms. Of a form, what only fills it in does not count. */
function controlsOf(page: Page, within: string, of: 'page' | 'form' = 'page'): Promise<readonly Found[]> {
  return page.evaluate(
    ({ within, of }) => {
      // Orders of lists and views of one thing change nothing.
      const wanted = [
        'button:not(th *, [aria-pressed])',
        '[role=menuitem]',
        '[role=switch]',
        'a[href$="/new"]',
        'a[href$="/upload"]',
      ]
      const all = [...document.querySelectorAll(wanted.map((one) => `${within} ${one}`).join())]
      const text = (ids: string | null) => (ids ?? '').split(' ').map((id) => document.getElementById(id)?.textContent)
      return all
        .filter((one) => one.checkVisibility() && !(of === 'form' && one.matches('[role=switch]')))
        .map((one) => {
          const label = [...(one.labels ?? [])].map(({ textContent }) => textContent).join(' ')
          return {
            name: one.getAttribute('aria-label') ?? (one.textContent.trim() || label.trim()),
            isOff: one.getAttribute('aria-disabled') === 'true' || one.matches(':disabled'),
            reason: text(one.getAttribute('aria-describedby')).join(' ').trim(),
          }
        })
    },
    { within, of },
  )
}

/** Whether the reason is said, beside a button or in the label of a switch. */
function says(name: string, reason: string): boolean {
  return reason !== '' || name.includes('needs the role')
}

/** What a person who may only read could change, and what is off without saying why. */
function wrongFor(found: readonly Found[]): string[] {
  return found
    .filter(({ name }) => !harmless.some((one) => one.test(name)))
    .flatMap(({ name, isOff, reason }) =>
      isOff ? (says(name, reason) ? [] : [`${name}: off, no reason`]) : [`${name}: on`],
    )
}

/** The controls once nothing more comes. */
async function settledControls(page: Page, of: 'page' | 'form' = 'page'): Promise<readonly Found[]> {
  let last = ''
  for (let same = 0; ; ) {
    await settle(page)
    const found = await controlsOf(page, 'main', of)
    const text = JSON.stringify(found)
    same = text === last ? same + 1 : 0
    if (same === 2) return found
    last = text
  }
}

async function judgeForViewer(console: Console, one: PageOfRoute): Promise<string[]> {
  const { page } = console
  await go(console, await pathOf(console, one))
  await settle(page)
  await judgeInShort(page)
  if (one.needs) {
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('You may not see this')
    await expect(page.getByRole('main')).toContainText(`It needs the role ${one.needs}`)
    return []
  }
  if (one.isOwn) return []
  if (one.isForm) {
    await expect(page.getByRole('button', { disabled: true, description: /needs the role/ }).first()).toBeVisible()
    const found = await settledControls(page, 'form')
    return wrongFor(found.filter(({ name }) => !one.fills?.test(name)))
  }
  const wrong = await judgeMenus(page)
  for (const tab of one.tabs ?? []) {
    await go(console, `${await pathOf(console, one)}/${tab}`)
    wrong.push(...(await judgeMenus(page)).map((problem) => `${tab}: ${problem}`))
  }
  return wrong
}

/** Judges what is in view, and every menu of acts. */
async function judgeMenus(page: Page): Promise<string[]> {
  const wrong = wrongFor(await settledControls(page))
  for (const dots of await page
    .locator('main')
    .getByRole('button', { name: /^Actions for/ })
    .all()) {
    await dots.focus()
    await press(page, 'Enter')
    await page.getByRole('menu').waitFor()
    const name = await dots.getAttribute('aria-label')
    wrong.push(...wrongFor(await controlsOf(page, '[role=menu]')).map((problem) => `${name}: ${problem}`))
    await press(page, 'Escape')
    await expect(page.getByRole('menu')).toBeHidden()
  }
  return wrong
}

/** Whether a request changes something, or is for what is around all pages: who one is, and what happens. */
function isOfFrame(request: Request): boolean {
  return request.method() !== 'GET' || /whoami|\/events|\/wolke\/v1\/projects(\?|$)/.test(request.url())
}

/** Lets the server refuse what the pages read, but not who one is. */
async function refuse(page: Page, status: number, body: () => object, told: (url: string) => void): Promise<void> {
  await page.unrouteAll()
  await page.route(/\/console\/api\//, async (route: Route) => {
    const request = route.request()
    if (isOfFrame(request)) return route.continue()
    told(request.url())
    const { correlation = '', ...error } = body() as { correlation?: string }
    await route.fulfill({
      status,
      contentType: 'application/json',
      headers: { 'x-correlation-id': correlation },
      body: JSON.stringify({ error }),
    })
  })
}

const pages = Object.entries(everyPage)
const asking = pages.filter(([, { asksNothing }]) => !asksNothing)

forConsole('every page', (open) => {
  test('can be read by viewers, fails, is forbidden, and says what was deleted', async () => {
    const console = await open({ role: 'viewer' })
    const { page } = console
    await something(console)
    await console.visit('')
    assert.deepEqual(
      (await routesOf(page)).filter((route) => !everyPage[route]),
      [],
      'add these pages to every-page.ts',
    )
    const problems: string[] = []
    for (const [route, one] of pages) {
      for (const problem of await judgeForViewer(console, one)) problems.push(`${route}: ${problem}`)
    }
    assert.deepEqual(problems, [])
    await judgeLoading(console)
    await judgeRefusals(console)
    await judgeStranger(console)
    await judgeMissing(console)
    await judgeDeleted(console)
  })
})

/** Pages whose data does not come have a heading and say that they load. */
async function judgeLoading(console: Console): Promise<void> {
  const { page } = console
  const held: Route[] = []
  await page.route(/\/console\/api\//, (route) =>
    isOfFrame(route.request()) ? route.continue() : void held.push(route),
  )
  await console.visit('')
  for (const [, one] of asking) {
    // What says that the one before loads is gone.
    await goTo(page, '/')
    await begin(page, (await pathOf(console, one)).replace(/^P/, `/projects/${console.project}`))
    await page.locator('main [role=status][data-coming]').first().waitFor()
    await judgeInShort(page)
  }
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await Promise.all(held.map((route) => route.abort().catch(() => undefined)))
}

async function judgeRefusals(console: Console): Promise<void> {
  const { page } = console
  const main = page.getByRole('main')
  let count = 0
  await refuse(
    page,
    409,
    () => ({ code: 'conflict', message: 'not now', correlation: `try-${count}` }),
    () => {},
  )
  await console.visit('')
  for (const [route, one] of asking) {
    count += 1
    await go(console, await pathOf(console, one))
    await expect(main, route).toContainText(`try-${count}`)
    await expect(main, route).toContainText('This could not be loaded')
    await settle(page)
    await judgeInShort(page)
  }
  const asked = new Map<string, number>()
  const role = () => (count % 2 === 0 ? 'Admin' : 'Owner')
  await refuse(
    page,
    403,
    () => ({ code: 'forbidden', message: 'not for you', details: { needs: role().toLowerCase() } }),
    (url) => asked.set(`${count} ${url}`, (asked.get(`${count} ${url}`) ?? 0) + 1),
  )
  await console.visit('')
  for (const [route, one] of asking) {
    count += 1
    await go(console, await pathOf(console, one))
    await expect(main, route).toContainText(`It needs the role ${role()} in this Project. An owner or admin`)
    // What the page has asked besides is answered before the next one asks the same.
    await settle(page)
    await judgeInShort(page)
  }
  assert.deepEqual(
    [...asked].filter(([, times]) => times > 1),
    [],
  )
  await page.unrouteAll()
}

/** Of a Project that is somebody else's nothing is seen, not even that it is there. */
async function judgeStranger(console: Console): Promise<void> {
  await console.visit('')
  for (const [route, one] of pages) {
    if (one.isOwn) continue
    await go(console, (await pathOf(console, one)).replace(/^P/, '/projects/1'))
    await expect(console.page.getByRole('heading', { level: 1 }), route).toHaveText('There is nothing here')
  }
}

/** What an address names beside the pages that there are, and the name of the way back. */
async function missing(console: Console): Promise<readonly (readonly [path: string, back: string])[]> {
  const found: [string, string][] = [
    ['/nowhere', 'All Projects'],
    ['/account/nowhere', 'All Projects'],
    ['/admin/nowhere', 'Installation'],
    ['/projects/first', 'All Projects'],
    ['/projects/1/servers', 'All Projects'],
    ['P/nowhere', 'Overview'],
    ['P/servers/new/nowhere', 'Servers'],
    ['P/raw/servers_nowhere', 'Raw request'],
    ['P/zones/nowhere.example', 'DNS zones'],
    ['P/zones/no%20where', 'DNS zones'],
  ]
  for (const [route, one] of pages) {
    const { path, shows, tabs } = one
    const list = path.slice(0, path.indexOf('/{id}'))
    if (route.includes('$id')) for (const id of ['1', 'first', '1.5']) found.push([`${list}/${id}`, ''])
    if (tabs && shows) found.push([`${await pathOf(console, one)}/nowhere`, shows[1]])
  }
  return found
}

/** What is not there is said in the frame, with a way back, however the address names it. */
async function judgeMissing(console: Console): Promise<void> {
  const { page } = console
  const main = page.getByRole('main')
  const judge = async (path: string, back: string) => {
    await expect(page.getByRole('heading', { level: 1 }), path).toHaveText('There is nothing here')
    await expect(main, path).toContainText(decodeURI(path.replace(/^P/, '')))
    await expect(main.getByRole('link', back ? { name: back } : {}), path).toHaveCount(1)
    await expect(page.getByRole('button', { name: 'Search or run a command' }), path).toBeVisible()
  }
  const all = await missing(console)
  for (const [path, back] of all) {
    await go(console, path)
    await judge(path, back)
  }
  await judgeInShort(page)
  // The same by an address that is typed, of each kind.
  for (const [path, back] of all.filter(([path]) => /^(.nowhere|P.*nowhere|P.servers.first)$/.test(path))) {
    await console.visit(path)
    await judge(path, back)
  }
}

async function judgeDeleted(console: Console): Promise<void> {
  const { page, api, world } = console
  for (const [route, one] of pages) {
    if (!one.shows) continue
    const [family, name] = one.shows
    await go(console, await pathOf(console, one))
    await expect(page.getByRole('heading', { level: 1 }), route).toHaveText(name)
    const path = `/${family}/${await idOf(api, one.shows)}`
    assert.equal((await api.delete(path)).status < 300, true, path)
    await world.settle()
    const note = page.getByText(`${name} was deleted elsewhere while this page was open.`)
    await expect(note, route).toBeVisible()
    await expect(note.getByRole('link'), route).toBeVisible()
    const on = (await settledControls(page)).filter(
      ({ name, isOff }) => !isOff && !harmless.some((one) => one.test(name)),
    )
    assert.deepEqual(on, [], route)
    await judgeInShort(page)
  }
}
