/**
 * Every row of the tables of the spec, led to the running server: its endpoints with their parameters, its errors with
 * their statuses, its limits on both sides. The rows are data in spec/.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serveOptions } from '../../src/config/config.ts'
import { generateToken } from '../../src/kernel/access/token-text.ts'
import { declaredCodes } from '../../src/kernel/contract/errors.ts'
import { type ErrorCode, statusOf } from '../../src/kernel/errors.ts'
import type { EngineName } from '../kit/engines.ts'
import { type Answer, forEachDatabase, type Open, openForSuite, type World } from '../kit/harness.ts'
import { errorScenarios, samples, specRows } from '../kit/proofs.ts'
import { assertNames, assertRefused } from '../kit/refusals.ts'
import { eras, openStage, prepare, type Ready, type Row, reach, rows } from '../kit/requests.ts'
import { expect } from '../kit/resources.ts'
import { endpointRows } from './spec/endpoints.ts'
import { detailRows, generalRows, specificRows } from './spec/errors.ts'
import { fieldRows, selectorRows } from './spec/fields.ts'
import { limitRows } from './spec/limits.ts'
import { nameOf } from './spec/names.ts'
import type { Effect, EndpointRow, Kind } from './spec/rows.ts'

function rowAt(name: string): Row {
  const found = rows.find((row) => row.name === name || `${row.endpoint.method} ${row.endpoint.path}` === name)
  assert.ok(found, `there is no endpoint ${name}`)
  return found
}

/** A family whose resources are listed on pages and have labels; it stands for all of them. */
const labelled = rows.find(({ key, endpoint }) => key === 'list' && endpoint.query?.label_selector)!.family

/** A world on a day on which the endpoint is there. */
type OpenFor = (row: Row) => ReturnType<typeof openStage>

const dayOf = (row: Row) => eras.find(({ some }) => some.includes(row))!.day
const openFor = (open: Open, row: Row) => openStage(open, dayOf(row))

/** What only reads finds its own in a world with more in it, so one world of each day is enough for all of it. */
function sharing(engineName: EngineName, open: Open): OpenFor {
  const openShared = openForSuite(engineName)
  const shared = new Map<string, ReturnType<typeof openStage>>()
  return (row) => {
    if (row.endpoint.method !== 'GET') return openFor(open, row)
    const day = dayOf(row)
    if (!shared.has(day)) shared.set(day, openStage(openShared, day))
    return shared.get(day)!
  }
}

// ---- Endpoints -----------------------------------------------------------------------------------------------------

/** The answer to a request for a list with more in its query. */
function ask({ api }: World, { row, target, sample }: Ready, query: string): Promise<Answer> {
  const path = row.endpoint.path.replace('{id}', String(target.id))
  return api.get(`${path}?${[sample.query, query].filter(Boolean).join('&')}`)
}

async function list(world: World, ready: Ready, query: string): Promise<Record<string, unknown>[]> {
  const { body } = expect(await ask(world, ready, query), 200)
  return Object.values(body).find(Array.isArray) as Record<string, unknown>[]
}

/** What query parameters do at every endpoint that says nothing else. */
const effects: Readonly<Record<string, Effect>> = {
  name: { empty: 'nowhere-dc1' },
  label_selector: { empty: 'nothing-has-this', bad: 'k in (' },
  page: { empty: '1000000', bad: '0' },
  per_page: { bad: '0' },
  id: { bad: 'x' },
  status: { keeps: ['running', 'success', 'error'], bad: 'x' },
}

async function checkParameter(world: World, ready: Ready, expected: EndpointRow, name: string): Promise<void> {
  const effect = expected.effects?.[name] ?? effects[name]
  assert.ok(effect, `what ${name} does is not known here`)
  const { empty, keeps = [], bad } = effect
  if (empty) assert.deepEqual(await list(world, ready, `${name}=${empty}`), [], name)
  for (const value of keeps) {
    for (const entry of await list(world, ready, `${name}=${value}`)) assert.equal(entry[name], value)
    await list(world, ready, keeps.map((one) => `${name}=${one}`).join('&'))
  }
  if (bad) assertNames(await ask(world, ready, `${name}=${encodeURIComponent(bad)}`), name)
}

async function checkSort(world: World, ready: Ready, fields: readonly string[]): Promise<void> {
  await prepare(world, ready.row)
  const compare = (a: string | number, b: string | number) => (a < b ? -1 : Number(a > b))
  for (const field of fields) {
    for (const direction of ['', ':asc', ':desc']) {
      const entries = await list(world, ready, `sort=${field}${direction}`)
      // Snapshots and backups have no name.
      const found = entries.map((entry) => entry[field] as string | number | null).filter((value) => value !== null)
      const sign = direction === ':desc' ? -1 : 1
      assert.deepEqual(
        found,
        found.toSorted((a, b) => sign * compare(a, b)),
        field + direction,
      )
    }
  }
  assertNames(await ask(world, ready, 'sort=progress'), 'sort')
}

/** Every field is known: it is judged, and one that is required is missed. */
async function checkBody(world: World, ready: Ready, { required = [], optional = [] }: EndpointRow): Promise<void> {
  const given = ready.sample.body as Record<string, unknown>
  const send = (body: unknown) => ({ ...ready, sample: { ...ready.sample, body } })
  const path = ready.row.endpoint.path.replace('{id}', String(ready.target.id))
  const request = ({ sample }: Ready) => world.api.request(ready.row.endpoint.method, path, { body: sample.body })
  for (const field of required) {
    const { [field]: _, ...rest } = given
    assertNames(await request(send(rest)), field)
  }
  for (const field of [...required, ...optional]) {
    assertNames(await request(send({ ...given, [field]: { nonsense: {} } })), field)
  }
}

async function checkEndpoint(openWorld: OpenFor, expected: EndpointRow): Promise<void> {
  const row = rowAt(expected.endpoint)
  const { world } = await openWorld(row)
  const ready = await prepare(world, row)
  if (expected.required || expected.optional) await checkBody(world, ready, expected)
  const { status, body } = await ready.send(world.api)
  assert.equal(status, expected.status)
  for (const key of expected.reply) assert.ok(Object.hasOwn(body, key), `the reply has ${key}`)
  for (const name of expected.query ?? []) await checkParameter(world, ready, expected, name)
  if (expected.sort) await checkSort(world, ready, expected.sort)
}

// ---- Fields and selectors ------------------------------------------------------------------------------------------

const isTime = (value: unknown) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value)

const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  integer: Number.isSafeInteger,
  number: Number.isFinite,
  string: (value) => typeof value === 'string',
  timestamp: isTime,
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
}

function isKind(value: unknown, kind: Kind): boolean {
  return (value === null && kind.endsWith(' or null')) || kinds[kind.replace(' or null', '')]!(value)
}

async function checkFields(openWorld: OpenFor, { at, key, fields }: (typeof fieldRows)[number]): Promise<void> {
  const row = rowAt(at ?? `${labelled}.list`)
  const { world } = await openWorld(row)
  const { body } = await (await prepare(world, row)).send(world.api)
  const found = key.split('.').reduce((value, part) => value[part], body)
  assert.deepEqual(Object.keys(found).sort(), Object.keys(fields).sort())
  for (const [name, kind] of Object.entries(fields)) assert.ok(isKind(found[name], kind), `${name} is ${kind}`)
}

/** Creates a resource with labels. */
async function postLabelled(world: World, labels: object): Promise<Answer> {
  const { body } = await samples[labelled]!.requests!.create!(world, { id: 0 })
  return world.api.post(`/${labelled}`, { ...(body as object), labels })
}

async function createLabelled(world: World, labels: object): Promise<number> {
  const { body } = expect(await postLabelled(world, labels), 201)
  return Object.values(body as Record<string, { id: number }>)[0]!.id
}

async function checkSelector(open: Open, { as, selects, not }: (typeof selectorRows)[number]): Promise<void> {
  const world = await open()
  const wanted = await createLabelled(world, selects)
  for (const labels of not) await createLabelled(world, labels)
  for (const text of as) {
    const { body } = await world.api.get(`/${labelled}?label_selector=${encodeURIComponent(text)}`)
    assert.deepEqual(
      body[labelled].map(({ id }: { id: number }) => id),
      [wanted],
      text,
    )
  }
}

// ---- Errors --------------------------------------------------------------------------------------------------------

const databaseLate = () => {
  throw new Error('Query read timeout')
}

const anything = '/actions?id=1'

/** The ways to the codes that no single endpoint declares. */
const troubles: Readonly<Partial<Record<ErrorCode, (open: Open) => Promise<Answer>>>> = {
  method_not_allowed: async (open) => (await open()).api.request('PATCH', anything),
  async rate_limit_exceeded(open) {
    const { api } = await open({ rateLimit: 1 })
    await api.get(anything)
    return api.get(anything)
  },
  async server_error(open) {
    let isBroken = false
    const faults = { reach: () => (isBroken ? Promise.reject(new Error('a bug')) : undefined) }
    const world = await open({ faults, runActions: false })
    const ready = await prepare(world, rowAt(`${labelled}.update`))
    isBroken = true
    return ready.send(world.api)
  },
  async unavailable(open) {
    const { db, client } = await open()
    await db.close()
    return client(generateToken()).get(anything)
  },
  async timeout(open) {
    const { db, api } = await open()
    await api.get(anything)
    Object.defineProperty(db, 'query', { get: databaseLate })
    return api.get(anything)
  },
}

/** An endpoint that is known to be led to the code. */
function nameOfLed(code: ErrorCode): string {
  const [name] = Object.entries(errorScenarios).find(([, codes]) => codes[code]) ?? []
  const row = rows.find(({ endpoint }) => declaredCodes(endpoint).has(code) && endpoint.body)
  assert.ok(name ?? row, `nothing declares ${code}`)
  return name ?? row!.name
}

async function lead(open: Open, at: string, code: ErrorCode): Promise<readonly Answer[]> {
  const row = rowAt(at)
  const { world, stage } = await openFor(open, row)
  return reach(world, stage, { row, code })
}

const isUnused = (code: string, at?: Row) =>
  (at ? [at] : rows).every(({ endpoint }) => !declaredCodes(endpoint).has(code as ErrorCode))

async function checkGeneral(open: Open, { status, code, unused }: (typeof generalRows)[number]): Promise<void> {
  assert.equal(statusOf(code), status)
  if (unused) return assert.ok(isUnused(code), `${code} can happen by now`)
  const answers = troubles[code] ? [await troubles[code](open)] : await lead(open, nameOfLed(code), code)
  for (const answer of answers) assertRefused(answer, code, status)
}

/** Texts as `string`, so that shapes can be compared. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shapeOf(one)]))
}

async function checkSpecific(open: Open, { at, codes, unused = {} }: (typeof specificRows)[number]): Promise<void> {
  for (const { code, status } of codes) {
    for (const answer of await lead(open, at, code)) assertRefused(answer, code, status)
  }
  for (const code of Object.keys(unused)) assert.ok(isUnused(code, rowAt(at)), `${code} can happen by now`)
}

// ---- Limits --------------------------------------------------------------------------------------------------------

/** Each limit from both sides. */
const generalLimits: Readonly<Record<string, (open: Open) => Promise<void>>> = {
  async 'Request rate'(open) {
    assert.equal(serveOptions().find(({ long }) => long === '--rate-limit')?.defaultValue, 3_600)
    const { api } = await open({ rateLimit: 5 })
    for (let i = 0; i < 5; i++) expect(await api.get(anything), 200)
    assertRefused(await api.get(anything), 'rate_limit_exceeded')
  },
  async 'Rate-limit headers'(open) {
    const { api, anonymous } = await open({ rateLimit: 3_600 })
    for (const { headers } of [await api.get(anything), await anonymous.get(anything), await api.get('/x')]) {
      assert.equal(headers.get('ratelimit-limit'), '3600')
      assert.match(headers.get('ratelimit-remaining') ?? '', /^\d+$/)
      assert.match(headers.get('ratelimit-reset') ?? '', /^\d{10}$/)
    }
  },
  async per_page(open) {
    const world = await open()
    const pages = async (query: string) => expect(await world.api.get(`/${labelled}${query}`), 200).body
    for (let i = 0; i < 26; i++) await createLabelled(world, {})
    const [all, usual] = [await pages('?per_page=50'), await pages('')]
    assert.deepEqual([all.meta.pagination.per_page, usual.meta.pagination.per_page], [50, 25])
    assert.deepEqual([all[labelled].length, usual[labelled].length], [26, 25])
    assert.equal((await pages('?per_page=51')).meta.pagination.per_page, 50)
  },
  async page(open) {
    const world = await open()
    await createLabelled(world, {})
    const usual = await world.api.get(`/${labelled}`)
    assert.equal(usual.body.meta.pagination.page, 1)
    assert.equal((await world.api.get(`/${labelled}?page=1`)).text, usual.text)
    assertNames(await world.api.get(`/${labelled}?page=0`), 'page')
  },
  async 'Label name / value'(open) {
    const world = await open()
    const part = 'p'.repeat(63)
    const prefix = [part, part, part, 'p'.repeat(61)].join('.')
    assert.equal(prefix.length, 253)
    expect(await postLabelled(world, { [`${prefix}/${'n'.repeat(63)}`]: 'v'.repeat(63) }), 201)
    assertNames(await postLabelled(world, { [`${prefix}p/n`]: 'v' }), 'labels')
    assertNames(await postLabelled(world, { ['n'.repeat(64)]: 'v' }), 'labels')
    assertNames(await postLabelled(world, { n: 'v'.repeat(64) }), 'labels')
  },
  async 'Action history'(open) {
    const world = await open()
    const { api, clock } = world
    const id = (await samples.actions!.prepare(world)).actionId
    await world.settle()
    clock.advance(90 * 86_400_000)
    expect(await api.get(`/actions/${id}`), 200)
    clock.advance(1_000)
    expect(await api.get(`/actions/${id}`), 404)
    assert.deepEqual((await api.get(`/actions?id=${id}`)).body.actions, [])
  },
}

const limits = [
  ...Object.entries(generalLimits),
  ...specRows('limits').map(({ limit, check }) => [limit, check] as const),
]

// ---- The tests -----------------------------------------------------------------------------------------------------

test('every limit is tried', () => {
  assert.deepEqual(limits.map(([limit]) => limit).sort(), limitRows.map(({ limit }) => limit).sort())
})

forEachDatabase('the spec', (open, engineName) => {
  const openWorld = sharing(engineName, open)
  for (const row of endpointRows) test(nameOf.endpoint(row), () => checkEndpoint(openWorld, row))
  for (const row of fieldRows) test(nameOf.fields(row), () => checkFields(openWorld, row))
  for (const row of selectorRows) test(nameOf.selector(row), () => checkSelector(open, row))
  for (const row of generalRows) test(nameOf.general(row), () => checkGeneral(open, row))
  for (const row of detailRows) {
    test(nameOf.details(row), async () => {
      for (const { body } of await lead(open, nameOfLed(row.code), row.code)) {
        assert.deepEqual(shapeOf(body.error.details), row.shape)
      }
    })
  }
  for (const row of specificRows) test(nameOf.specific(row), () => checkSpecific(open, row))
  for (const [limit, check] of limits) test(nameOf.limit({ limit }), () => check(open))
})
