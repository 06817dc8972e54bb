/** What the server shows to people, and what it tells those who ask for what it does not have. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forProjects, testClock, today, type World } from '../kit/harness.ts'
import { assertRefused } from '../kit/refusals.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly requestBody?: unknown }>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

interface Schema {
  readonly properties: Readonly<Record<string, unknown>>
  readonly required: readonly string[]
}

const bodyOf = ({ paths }: Document, path: string) => JSON.stringify(paths[path]!.post!.requestBody)

const origin = ({ baseUrl }: World) => new URL('/', baseUrl)
const ask = (world: World, accept?: string) => fetch(origin(world), { headers: accept === undefined ? {} : { accept } })

/** What an answer says to caches, to browsers that guess types, and to pages that would frame it. */
function guardsOf(headers: Headers) {
  const isFramed = !headers.get('content-security-policy')?.includes("frame-ancestors 'none'")
  return { caching: headers.get('cache-control'), sniffing: headers.get('x-content-type-options'), isFramed }
}

forProjects('the page at the root', (open) => {
  test('is HTML for browsers and JSON for everybody else', async () => {
    const world = await open()
    for (const accept of [browser, 'text/html', 'text/*', 'text/html, application/json;q=0.9']) {
      const page = await ask(world, accept)
      assert.equal(page.status, 200)
      assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8', accept)
      assert.match(await page.text(), /^<!doctype html>/)
    }
    for (const accept of [
      '*/*',
      undefined,
      'application/json',
      'application/json, text/html',
      'text/html;q=0, */*',
      '',
    ]) {
      const page = await ask(world, accept)
      assert.equal(page.headers.get('content-type'), 'application/json; charset=utf-8', accept)
      assert.equal(((await page.json()) as { name: string }).name, 'Wolke')
    }
  })

  test('tells caches that it depends on Accept, and is not sent again to those who have it', async () => {
    const world = await open()
    for (const accept of [browser, 'application/json']) {
      const { headers } = await ask(world, accept)
      assert.match(headers.get('vary') ?? '', /^accept(,|$)/)
      const again = await fetch(origin(world), { headers: { accept, 'if-none-match': headers.get('etag')! } })
      assert.equal(again.status, 304)
    }
    const tags = await Promise.all(
      [browser, '*/*'].map(async (accept) => (await ask(world, accept)).headers.get('etag')),
    )
    assert.notEqual(tags[0], tags[1])
  })

  test('leads to what there is, the root certificate only where this installation has one', async () => {
    const own = await open()
    const { links } = (await (await ask(own)).json()) as { links: Record<string, string> }
    assert.deepEqual(Object.keys(links), ['console', 'reference', 'openapi', 'changes', 'health', 'ca'])
    for (const path of Object.values(links)) assert.equal((await fetch(new URL(path, own.baseUrl))).status, 200, path)
    const page = await (await ask(own, browser)).text()
    const shown = [...page.matchAll(/<a href="([^"]*)"/g)].map(([, path]) => path)
    assert.deepEqual(shown, Object.values(links))
    const { root: _, ...authority } = own.simulation.drivers.authority
    const other = await open({ drivers: { authority } })
    assert.ok(!(await (await ask(other, browser)).text()).includes('ca.pem'))
  })

  test('runs no script and loads nothing but its icon', async () => {
    const page = await ask(await open(), browser)
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'/)
    const whole = await page.text()
    const icon = '<link rel="icon" type="image/svg+xml" href="/favicon.ico">'
    assert.ok(whole.includes(icon))
    const text = whole.replace(icon, '').replaceAll('xmlns="http://www.w3.org/2000/svg"', '')
    assert.doesNotMatch(text, /<(script|link|img|iframe)\b|\son\w+=|url\(|@import|https?:/)
  })
})

forProjects('every door', (open) => {
  test('says what caches keep, that types are not guessed, and which pages nobody frames', async () => {
    const world = await open()
    const { headers: session } = world.signIn('admin')
    const asked: readonly (readonly [path: string, caches: string, init?: RequestInit])[] = [
      ['/', 'no-cache', { headers: { accept: browser } }],
      ['/', 'no-cache'],
      ['/docs', 'no-cache'],
      ['/favicon.ico', 'public, max-age=86400'],
      ['/health', 'no-store'],
      ['/health/reads', 'no-store'],
      ['/v1/openapi.json', 'no-cache'],
      ['/v1/changes', 'no-cache'],
      ['/v1/ca.pem', 'no-cache'],
      ['/v1/servers', 'no-store', { headers: { authorization: `Bearer ${world.api.token}` } }],
      ['/v1/servers', 'no-store'],
      ['/v1/nothing', 'no-store'],
      ['/v1/%zz', 'no-store'],
      ['/docs', 'no-store', { method: 'POST' }],
      ['/wolke/v1/whoami', 'no-store', { headers: { authorization: `Bearer ${world.api.token}` } }],
      ['/console/api/wolke/v1/whoami', 'no-store', { headers: { ...session } }],
      ['/console/login', 'no-store'],
      ['/console/door/style.css', 'no-cache'],
      ['/console/assets/nothing.js', 'no-store'],
    ]
    for (const [path, caches, init] of asked) {
      const { headers } = await fetch(new URL(path, origin(world)), init)
      const { caching, ...safe } = guardsOf(headers)
      assert.equal(caching, caches, path)
      const isPage = headers.get('content-type')?.startsWith('text/html') === true
      assert.deepEqual(safe, { sniffing: 'nosniff', isFramed: !isPage }, path)
    }
  })

  test('keeps its rules where nothing is sent again', async () => {
    const world = await open()
    for (const path of ['/', '/docs']) {
      const url = new URL(path, origin(world))
      const headers = {
        accept: browser,
        'if-none-match': (await fetch(url, { headers: { accept: browser } })).headers.get('etag')!,
      }
      const again = await fetch(url, { headers })
      assert.equal(again.status, 304)
      assert.deepEqual(guardsOf(again.headers), { caching: 'no-cache', sniffing: 'nosniff', isFramed: false }, path)
    }
  })
})

forProjects('the icon', (open) => {
  test('is where browsers look for it, without a token, and in the head of every page before the console', async () => {
    const world = await open()
    const icon = await fetch(new URL('/favicon.ico', origin(world)))
    assert.deepEqual([icon.status, icon.headers.get('content-type')], [200, 'image/svg+xml'])
    assert.match(await icon.text(), /^<svg /)
    for (const path of ['/', '/docs', '/console/login', '/console/setup', '/console/reset', '/console/invite']) {
      const page = await fetch(new URL(path, origin(world)), { headers: { accept: browser } })
      assert.match(await page.text(), /<link rel="icon" [^>]*href="\/favicon\.ico">/, path)
      assert.match(page.headers.get('content-security-policy') ?? '', /img-src 'self'/, path)
    }
  })
})

forProjects('the reference', (open) => {
  /** The paths of the document and the fields of its servers, as of a date, and the page of that date. */
  async function referenceOn(date: string) {
    const { baseUrl } = await open({ clock: testClock(date) })
    const document = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as Document
    return { document, page: await (await fetch(new URL('/docs', baseUrl))).text() }
  }

  test('has datacenters on the dates on which they exist, and on no other', async () => {
    const expected = [
      ['2026-06-30T23:59:59Z', true, true],
      ['2026-07-01T00:00:00Z', true, false],
      ['2026-09-30T23:59:59Z', true, false],
      ['2026-10-01T00:00:00Z', false, false],
      [today, false, false],
    ] as const
    for (const [date, endpoints, field] of expected) {
      const { document, page } = await referenceOn(date)
      assert.equal('/datacenters' in document.paths, endpoints, date)
      assert.equal(page.includes('id="datacenters_list"'), endpoints, date)
      const { Server } = document.components.schemas
      assert.equal('datacenter' in Server!.properties, field, date)
      assert.equal(bodyOf(document, '/servers').includes('"datacenter"'), field, date)
      // A code keeps its name for good.
      const texts = [JSON.stringify(document), page.slice(page.indexOf('id="family-'))]
      const left = texts.map((text) => text.replaceAll('primary_ip_datacenter_mismatch', '').includes('datacenter'))
      if (!endpoints) assert.deepEqual(left, [false, false], date)
    }
  })

  test('has fields and endpoints from the day on that brought them, and requires none that is not there', async () => {
    const { document: before } = await referenceOn('2023-03-31T00:00:00Z')
    const { document: now } = await referenceOn(today)
    assert.ok(!('/servers/actions' in before.paths))
    assert.ok('/servers/actions' in now.paths)
    const [old, current] = [before.components.schemas.ServerType!, now.components.schemas.ServerType!]
    for (const field of ['architecture', 'category', 'locations', 'deprecation']) {
      assert.ok(!(field in old.properties) && !old.required.includes(field), field)
      assert.ok(field in current.properties && current.required.includes(field), field)
    }
    for (const { properties, required = [] } of Object.values(before.components.schemas)) {
      for (const field of required) assert.ok(field in properties, field)
    }
  })

  test('follows the clock of a server that goes on running', async () => {
    const clock = testClock('2026-09-30T23:59:59Z')
    const { baseUrl } = await open({ clock })
    const ask = async () => (await (await fetch(`${baseUrl}/openapi.json`)).json()) as Document
    assert.ok('/datacenters' in (await ask()).paths)
    clock.advance(1_000)
    assert.ok(!('/datacenters' in (await ask()).paths))
  })
})

forProjects('a family that is not here', (open) => {
  test('says so of what the public cloud has at other services', async () => {
    const { api } = await open()
    for (const path of ['/buckets', '/buckets/logs', '/object_storages?page=1']) {
      const answer = await api.get(path)
      assertRefused(answer, 'not_found')
      assert.match(answer.body.error.message, /^this installation has no (Buckets|Object Storages)$/)
    }
  })

  test('is not confused with a family that is here, or with what no API has', async () => {
    const { api, anonymous } = await open()
    for (const path of ['/serverz', '/', '/servers/1/nonsense', '/constructor', '/networksx', '/images/x/y']) {
      const answer = await api.get(path)
      assertRefused(answer, 'not_found')
      assert.doesNotMatch(answer.body.error.message, /installation/, path)
    }
    assertRefused(await anonymous.get('/networks'), 'unauthorized')
    assertRefused(await api.get('/servers/1'), 'not_found')
  })

  test('names what does not exist, whether or not its id can be one', async () => {
    const { api } = await open()
    const message = async (path: string) => (await api.get(path)).body.error.message.toLowerCase()
    for (const path of [
      'servers',
      'firewalls',
      'primary_ips',
      'load_balancers',
      'ssh_keys',
      'isos',
      'placement_groups',
    ]) {
      const [unknown, unfit] = [await message(`/${path}/4711`), await message(`/${path}/x-1`)]
      assert.equal(unfit, unknown.replace('4711', 'x-1'))
      assert.match(unfit, /^[a-z ]+ with id 'x-1' not found$/)
    }
  })
})
