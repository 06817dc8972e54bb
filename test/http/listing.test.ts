/** Lists: paging, sorting, filters, label selectors and compression (spec: Pagination and sorting rules), shown on SSH keys. */
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { CompiledQuery } from 'kysely'
import { sshKeys } from '../../src/families/ssh-keys/store.ts'
import { hashToken } from '../../src/kernel/access/token-text.ts'
import type { Sort } from '../../src/kernel/contract/contract.ts'
import type { Labels } from '../../src/kernel/contract/labels.ts'
import { matches, parseSelector, type Selector } from '../../src/kernel/contract/selectors.ts'
import { acrossProjects } from '../../src/kernel/data/scoped.ts'
import type { PageQuery } from '../../src/kernel/resource/listing.ts'
import type { ProjectScope } from '../../src/kernel/scope.ts'
import { watchDatabase } from '../kit/database/watched-database.ts'
import { type Client, forEachDatabase, type World } from '../kit/harness.ts'

interface Item {
  readonly id: number
  readonly name: string
  readonly labels: Labels
}

/** A few common labels, some rare ones, one on every item and one whose value is empty. */
function makeItems(count: number): Item[] {
  return Array.from({ length: count }, (_, i) => ({
    id: 1_000 + i * 3,
    // Neither the order of ids nor unrelated to it.
    name: `key-${String((i * 7_919) % count).padStart(5, '0')}`,
    labels: {
      all: 'yes',
      ...(i % 4 ? { env: ['dev', 'prod', 'stage'][i % 3] as string } : {}),
      ...(i % 5 === 0 ? { empty: '' } : {}),
      tier: String(i % 40),
      ...(i % 997 === 0 ? { rare: String(i) } : {}),
    },
  }))
}

async function scopeOf({ db }: World, client: Client): Promise<ProjectScope> {
  const token = acrossProjects(db.query)
    .selectFrom('token')
    .select('project_id')
    .where('hash', '=', hashToken(client.token!))
  return { projectId: (await token.executeTakeFirstOrThrow()).project_id }
}

/** Writes SSH keys and their labels as the family does, many at once. */
async function insert({ db }: World, { projectId }: ProjectScope, items: readonly Item[]): Promise<void> {
  const keys = items.map(({ id, name, labels }) => ({
    id,
    project_id: projectId,
    name,
    fingerprint: String(id),
    public_key: `ssh-ed25519 ${id}`,
    labels: JSON.stringify(labels),
    created: '2026-11-21T12:00:00Z',
    version: 1,
  }))
  const rows = items.flatMap(({ id, labels }) =>
    Object.entries(labels).map(([key, value]) => ({
      project_id: projectId,
      kind: 'ssh_key',
      resource_id: id,
      key,
      value,
    })),
  )
  await db.transact(async (tx) => {
    for (let i = 0; i < keys.length; i += 1_000) {
      await acrossProjects(tx.query)
        .insertInto('ssh_key')
        .values(keys.slice(i, i + 1_000))
        .execute()
    }
    for (let i = 0; i < rows.length; i += 2_000) {
      await acrossProjects(tx.query)
        .insertInto('label')
        .values(rows.slice(i, i + 2_000))
        .execute()
    }
  })
}

function selectorOf(text: string): Selector {
  const result = parseSelector(text)
  assert.ok(result.ok)
  return result.selector
}

/** What the list must show, found by looking at everything. */
function reference(items: readonly Item[], selector: string, sort: readonly Sort[]): Item[] {
  const wanted = selectorOf(selector)
  const byId: Sort = { field: 'id', descending: sort.at(-1)?.descending ?? false }
  return items
    .filter(({ labels }) => matches(wanted, labels))
    .sort((a, b) => {
      for (const { field, descending } of [...sort, byId]) {
        const [x, y] = [a[field as 'id'], b[field as 'id']]
        if (x !== y) return x < y === descending ? 1 : -1
      }
      return 0
    })
}

const sortText = ({ field, descending }: Sort) => `${field}:${descending ? 'desc' : 'asc'}`

const oneOf = fc.constantFrom
const terms = fc.oneof(
  oneOf(
    'all',
    'all=yes',
    'all!=yes',
    'env',
    '!env',
    'env=dev',
    'env!=dev',
    'env in (dev,prod)',
    'env notin (dev,stage)',
  ),
  oneOf('empty', 'empty=', 'empty!=', '!empty', 'rare', '!rare', 'rare in (0,997,1)', 'nothing', '!nothing', 'tier=7'),
  oneOf('tier in (1,2,3,4,5,6,7,8,9,10)', 'tier notin (0,1)', 'tier=99', 'constructor', '!toString'),
)
const selectors = fc.array(terms, { maxLength: 3 }).map((list) => list.join(','))
const sorts = fc.array(fc.record({ field: oneOf('id', 'name'), descending: fc.boolean() }), { maxLength: 2 })

function distinct(sort: readonly Sort[]): Sort[] {
  return sort.filter(({ field }, i) => sort.findIndex((other) => other.field === field) === i)
}

forEachDatabase('A list', (open) => {
  test('under every selector, sort and page shows what looking at everything finds', async () => {
    const world = await open()
    const items = makeItems(3_000)
    await insert(world, await scopeOf(world, world.api), items)
    const others = makeItems(50).map((item) => ({ ...item, id: item.id + 1 }))
    await insert(world, await scopeOf(world, world.foreign), others)
    const check = async (selector: string, given: readonly Sort[], page: number, perPage: number) => {
      const sort = distinct(given)
      const search = new URLSearchParams({ page: String(page), per_page: String(perPage) })
      if (selector !== '') search.set('label_selector', selector)
      for (const by of sort) search.append('sort', sortText(by))
      const { status, body } = await world.api.get(`/ssh_keys?${search}`)
      assert.equal(status, 200)
      const expected = reference(items, selector, sort)
      const start = (page - 1) * perPage
      assert.deepEqual(
        body.ssh_keys.map(({ id, name, labels }: Item) => ({ id, name, labels })),
        expected.slice(start, start + perPage),
        String(search),
      )
      checkMeta(body.meta.pagination, { page, perPage, total: expected.length, mustTell: selector === '' })
    }
    // Every way of reading at least once, then at random.
    const ways = ['', 'all', '!env', 'env=dev', 'rare', 'env in (dev,prod),!empty', 'tier in (1,2),env', 'nothing']
    for (const selector of ways) {
      for (const sort of [[], ['id:desc'], ['name'], ['name:desc'], ['name', 'id:desc'], ['id', 'name']]) {
        const by = sort.map((text) => ({ field: text.split(':')[0]!, descending: text.endsWith('desc') }))
        await check(selector, by, 1, 50)
        await check(selector, by, 3, 7)
        // The page is beyond what one step reads, so that each order is read past a row as well.
        await check(selector, by, 14, 50)
      }
    }
    const page = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 130 }))
    await fc.assert(fc.asyncProperty(selectors, sorts, page, fc.integer({ min: 1, max: 50 }), check), {
      numRuns: 60,
    })
  })

  test('pages through a selection without losing or repeating anything', async () => {
    const world = await open()
    const items = makeItems(1_200)
    await insert(world, await scopeOf(world, world.api), items)
    for (const search of [
      'label_selector=env!%3Ddev',
      'label_selector=env!%3Ddev&sort=name:desc',
      'label_selector=tier',
    ]) {
      const seen: number[] = []
      for (let page: number | null = 1; page; ) {
        const { body } = await world.api.get(`/ssh_keys?${search}&per_page=50&page=${page}`)
        seen.push(...body.ssh_keys.map(({ id }: Item) => id))
        page = body.meta.pagination.next_page
      }
      assert.equal(new Set(seen).size, seen.length)
      assert.equal(seen.length, search.endsWith('tier') ? items.length : reference(items, 'env!=dev', []).length)
    }
  })

  test('tells its pages: null at the ends, and past the end an empty page', async () => {
    const world = await open()
    const { api } = world
    const meta = async (search: string) => (await api.get(`/ssh_keys?${search}`)).body.meta.pagination
    const numbers = (
      page: number,
      previous: number | null,
      next: number | null,
      last: number,
      total: number,
      size = 25,
    ) => ({
      page,
      per_page: size,
      previous_page: previous,
      next_page: next,
      last_page: last,
      total_entries: total,
    })
    assert.deepEqual(await meta(''), numbers(1, null, null, 1, 0))
    await insert(world, await scopeOf(world, api), makeItems(50))
    assert.deepEqual(await meta(''), numbers(1, null, 2, 2, 50))
    assert.deepEqual(await meta('page=2'), numbers(2, 1, null, 2, 50))
    assert.deepEqual(await meta('page=3'), numbers(3, 2, null, 2, 50))
    assert.deepEqual(await meta('per_page=50'), numbers(1, null, null, 1, 50, 50))
    assert.deepEqual(await meta('per_page=1&page=7'), numbers(7, 6, 8, 50, 50, 1))
    assert.deepEqual(await meta(`page=${2 ** 31}`), numbers(2 ** 31, 2 ** 31 - 1, null, 2, 50))
    assert.equal((await api.get('/ssh_keys?page=3')).body.ssh_keys.length, 0)
    // Under a selector the total is told by the page that ends the list, and no earlier.
    assert.deepEqual(await meta('label_selector=all&page=2'), numbers(2, 1, null, 2, 50))
    const first = await meta('label_selector=all')
    assert.deepEqual([first.next_page, first.last_page, first.total_entries], [2, null, null])
    const beyond = await meta('label_selector=all&page=3')
    assert.deepEqual([beyond.next_page, beyond.last_page, beyond.total_entries], [null, null, null])
  })

  test('has longer pages at the door of the console, and there alone', async () => {
    const world = await open()
    await insert(world, await scopeOf(world, world.api), makeItems(1_001))
    const person = world.as('viewer')
    const long = await person.get('/ssh_keys?per_page=1000')
    assert.deepEqual([long.body.ssh_keys.length, long.body.meta.pagination.next_page], [1_000, 2])
    assert.equal((await person.get('/ssh_keys?per_page=1000&page=2')).body.ssh_keys.length, 1)
    assert.equal((await person.get('/ssh_keys')).body.ssh_keys.length, 25)
    for (const [client, asked, most] of [
      [person, 1_001, 1_000],
      [world.api, 51, 50],
      [world.api, 1_000, 50],
    ] as const) {
      assert.equal((await client.get(`/ssh_keys?per_page=${asked}`)).body.meta.pagination.per_page, most)
    }
  })

  test('does not count a family of more than 10,000', async () => {
    const world = await open()
    const scope = await scopeOf(world, world.api)
    const items = makeItems(10_001).map((item) => ({ ...item, labels: {} }))
    await insert(world, scope, items.slice(1))
    const meta = async () => (await world.api.get('/ssh_keys')).body.meta.pagination
    assert.deepEqual([(await meta()).total_entries, (await meta()).last_page], [10_000, 400])
    await insert(world, scope, items.slice(0, 1))
    assert.deepEqual(
      [(await meta()).total_entries, (await meta()).last_page, (await meta()).next_page],
      [null, null, 2],
    )
  })

  test('refuses parameters that it does not understand by name, and ignores those that it does not know', async () => {
    const { api } = await open()
    const cases: [search: string, field: string][] = [
      ['sort=progress', 'sort'],
      ['sort=name:up', 'sort'],
      ['sort=', 'sort'],
      ['sort=name,id', 'sort'],
      ['sort=name&sort=nothing', 'sort'],
      ['page=0', 'page'],
      ['page=-1', 'page'],
      ['page=1.5', 'page'],
      ['page=1e1', 'page'],
      ['page=', 'page'],
      ['page=9999999999', 'page'],
      ['per_page=0', 'per_page'],
      ['per_page=-51', 'per_page'],
      ['per_page=many', 'per_page'],
      ['label_selector=a%3D%3D%3Db', 'label_selector'],
      [`label_selector=${'a'.repeat(1_025)}`, 'label_selector'],
      [`${'sort=id&'.repeat(101)}`, 'sort'],
    ]
    for (const [search, field] of cases) {
      const { status, body } = await api.get(`/ssh_keys?${search}`)
      assert.deepEqual([status, body.error.code], [422, 'invalid_input'], search)
      assert.ok(body.error.message.startsWith(`invalid input in field '${field}'`), body.error.message)
      assert.deepEqual(
        body.error.details.fields.map(({ name }: { name: string }) => name),
        [field],
      )
      assert.ok(body.error.details.fields[0].messages[0].length > 5)
    }
    const both = await api.get('/ssh_keys?page=0&per_page=x')
    assert.equal(both.body.error.message, "invalid input in fields 'page', 'per_page'")
    for (const search of ['unknown=1', 'page=2&page=1', 'name=', 'label_selector=', '__proto__=1', 'sort=id&sort=id']) {
      assert.equal((await api.get(`/ssh_keys?${search}`)).status, 200, search)
    }
  })

  test('carries a Link header with the pages that apply, until 1 April 2027', async () => {
    const world = await open()
    await insert(world, await scopeOf(world, world.api), makeItems(60))
    const root = new URL(world.baseUrl).origin
    const link = async (search: string) => (await world.api.get(`/ssh_keys${search}`)).headers.get('link')
    const to = (page: number, rel: string, more = '') => `<${root}/v1/ssh_keys?page=${page}${more}>; rel="${rel}"`
    assert.equal(await link(''), `${to(2, 'next')}, ${to(3, 'last')}`)
    assert.equal(await link('?page=2'), `${to(1, 'prev')}, ${to(3, 'next')}, ${to(3, 'last')}`)
    assert.equal(await link('?page=3'), `${to(2, 'prev')}, ${to(3, 'last')}`)
    assert.equal(await link('?name=key-00001'), `<${root}/v1/ssh_keys?name=key-00001&page=1>; rel="last"`)
    const selected = await link('?page=1&label_selector=all%3Dyes%2C!x')
    assert.equal(selected, `${to(2, 'next', '&label_selector=all%3Dyes%2C%21x')}`)
    world.clock.set('2027-03-31T23:59:59Z')
    assert.notEqual(await link(''), null)
    world.clock.set('2027-04-01T00:00:00Z')
    assert.equal(await link(''), null)
  })

  test('is compressed as the caller asks, from 1 KiB on', async () => {
    const world = await open()
    await insert(world, await scopeOf(world, world.api), makeItems(40))
    const plain = await fetchRaw(world, '/ssh_keys', undefined)
    assert.equal(plain.encoding, undefined)
    assert.equal(plain.vary, 'accept-encoding')
    const cases: [accept: string, encoding: string | undefined][] = [
      ['gzip', 'gzip'],
      ['br', 'br'],
      ['GZIP', 'gzip'],
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip;q=1.0, br;q=0.5', 'gzip'],
      ['br;q=0, *', 'gzip'],
      ['gzip;q=0', undefined],
      ['*', 'br'],
      ['*;q=0', undefined],
      ['identity', undefined],
      ['identity, gzip;q=0.5', undefined],
      ['identity;q=0.5, gzip;q=0.8', 'gzip'],
      ['deflate', undefined],
      ['gzip;q=nonsense', undefined],
      ['', undefined],
    ]
    for (const [accept, encoding] of cases) {
      const answer = await fetchRaw(world, '/ssh_keys', accept)
      assert.equal(answer.encoding, encoding, accept)
      assert.equal(answer.vary, 'accept-encoding', accept)
      assert.equal(answer.length, answer.bytes.length)
      assert.equal(unpack(answer), plain.bytes.toString(), accept)
      assert.ok(encoding === undefined || answer.bytes.length < plain.bytes.length / 2)
    }
    for (const path of ['/ssh_keys?per_page=1', '/nothing']) {
      const small = await fetchRaw(world, path, 'gzip, br')
      assert.deepEqual([small.encoding, small.vary], [undefined, undefined])
    }
    const failed = await fetchRaw(world, '/ssh_keys?sort=x', 'gzip')
    assert.equal(JSON.parse(unpack(failed)).error.code, 'invalid_input')
  })
})

function checkMeta(
  meta: Record<string, number | null>,
  { page, perPage, total, mustTell }: { page: number; perPage: number; total: number; mustTell: boolean },
): void {
  assert.deepEqual(Object.keys(meta), ['page', 'per_page', 'previous_page', 'next_page', 'last_page', 'total_entries'])
  assert.deepEqual([meta.page, meta.per_page], [page, perPage])
  assert.equal(meta.previous_page, page === 1 ? null : page - 1)
  assert.equal(meta.next_page, page * perPage < total ? page + 1 : null)
  assert.ok((meta.total_entries === null && !mustTell) || meta.total_entries === total)
  assert.equal(meta.last_page, meta.total_entries === null ? null : Math.max(1, Math.ceil(total / perPage)))
}

interface Packed {
  readonly encoding: string | undefined
  readonly vary: string | undefined
  readonly length: number
  readonly bytes: Buffer
}

/** Asks with exactly this Accept-Encoding and returns the bytes as they came. */
function fetchRaw({ baseUrl, api }: World, path: string, accept: string | undefined): Promise<Packed> {
  const headers = {
    authorization: `Bearer ${api.token}`,
    ...(accept === undefined ? {} : { 'accept-encoding': accept }),
  }
  return new Promise((resolve, reject) => {
    httpRequest(baseUrl + path, { headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const { 'content-encoding': encoding, vary, 'content-length': length } = response.headers
        resolve({ encoding, vary, length: Number(length), bytes: Buffer.concat(chunks) })
      })
    })
      .on('error', reject)
      .end()
  })
}

function unpack({ encoding, bytes }: Packed): string {
  if (encoding === 'gzip') return gunzipSync(bytes).toString()
  return (encoding === 'br' ? brotliDecompressSync(bytes) : bytes).toString()
}

// ---- Plans ---------------------------------------------------------------------------------------------------------

forEachDatabase('The plan of a list', (open, engineName) => {
  // PostgreSQL's plans follow its statistics, not the statement alone.
  if (engineName === 'postgres') return

  test('reads neither the whole family nor sorts it, in any order and from any label', async () => {
    const world = await open()
    const scope = await scopeOf(world, world.api)
    await insert(world, scope, makeItems(2_000))
    const sortings = ['id', 'id:desc', 'name', 'name:desc']
    for (const sort of ['', ...sortings]) {
      for (const selector of ['', 'env=dev', 'env', 'env in (dev,prod)', '!env', 'all,!env']) {
        const plans = await plansOf(world, scope, sort, selector)
        assert.ok(plans.length > 0)
        for (const { statement, steps } of plans) {
          const what = `sort '${sort}', selector '${selector}': ${statement}\n${steps.join('\n')}`
          assert.ok(!steps.some((step) => /^SCAN (ssh_key|label)\b/.test(step)), what)
          // SQLite would compile the statement again each time.
          assert.doesNotMatch(statement, /limit \?/)
          // At most 1,000 candidates of a rare label are sorted by name after they were found.
          const candidates = sort.startsWith('name') && / limit 1001\) as "ids"/.test(statement)
          assert.ok(candidates || !steps.some((step) => step.includes('TEMP B-TREE')), what)
        }
      }
    }
  })
})

/** The statements that one list issues, each with SQLite's plan for it. */
async function plansOf({ db }: World, scope: ProjectScope, sort: string, selector: string) {
  const statements: CompiledQuery[] = []
  const { query: watched } = watchDatabase(db, () => ({}), { before: (statement) => statements.push(statement) })
  const by = sort === '' ? [] : [{ field: sort.split(':')[0]!, descending: sort.endsWith(':desc') }]
  const query: PageQuery = {
    page: 2,
    per_page: 25,
    sort: by,
    label_selector: selector === '' ? undefined : selectorOf(selector),
  }
  await sshKeys.list(watched, scope, query, {})
  const plans = []
  for (const { sql, parameters } of statements) {
    const explained = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters])
    const { rows } = await db.query.executeQuery<{ detail: string }>(explained)
    plans.push({ statement: sql, steps: rows.map(({ detail }) => detail) })
  }
  return plans
}
