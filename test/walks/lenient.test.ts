/**
 * What clients send beside what they mean, at every endpoint of the contract: null for all that nobody has set, more
 * entries on a page than there may be, a slash at the end of a path, and fields of a resource as they were read.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Shape } from '../../src/kernel/contract/field-checks.ts'
import { type Answer, forProjects, type World } from '../kit/harness.ts'
import { each, eras, pathOf, prepare, type Ready, type Row } from '../kit/requests.ts'
import { expect } from '../kit/resources.ts'

const rows = eras[0]!.some
const isRead = ({ endpoint }: Row) => endpoint.method === 'GET'

function sendBody({ api }: World, { row: { endpoint }, target, sample }: Ready, body: unknown): Promise<Answer> {
  const search = sample.query ? `?${sample.query}` : ''
  return api.request(endpoint.method, pathOf(endpoint, target) + search, { body })
}

const membersOf = (shape: Shape): readonly Shape[] => [shape, ...(shape.anyOf ?? []).flatMap(membersOf)]

/** A value of a shape with null for every optional field of its objects that is not there. */
function withNulls(shape: Shape, value: unknown): unknown {
  const members = membersOf(shape)
  if (Array.isArray(value)) {
    const items = members.find(({ items }) => items)?.items
    return items ? value.map((item) => withNulls(items, item)) : value
  }
  if (typeof value !== 'object' || value === null) return value
  const fields: Record<string, unknown> = { ...value }
  for (const { properties = {}, required = [] } of members) {
    for (const [name, one] of Object.entries(properties)) {
      if (fields[name] !== undefined) fields[name] = withNulls(one, fields[name])
      else if (!required.includes(name)) fields[name] = null
    }
  }
  return fields
}

/** The fields for which null is a value of its own. */
const meaning = new Set(['dns_ptr', 'ttl'])

async function checkNulls(world: World, row: Row): Promise<void> {
  const ready = await prepare(world, row)
  if (ready.sample.refusal) return
  const given = (ready.sample.body ?? {}) as object
  const body = withNulls(row.endpoint.body as Shape, given) as Record<string, unknown>
  for (const name of meaning) if (!Object.hasOwn(given, name)) delete body[name]
  const { status, text } = await sendBody(world, ready, body)
  assert.equal(status, row.endpoint.status, `${JSON.stringify(body)}: ${text}`)
}

async function checkPageSize(world: World, row: Row): Promise<void> {
  const { target, sample } = await prepare(world, row)
  const { maximum } = row.endpoint.query!.per_page!.schema as { readonly maximum: number }
  for (const asked of [maximum + 1, 9_999_999, `1${'0'.repeat(40)}`]) {
    const query = [sample.query, `per_page=${asked}`].filter(Boolean).join('&')
    const { body } = expect(await world.api.get(`${pathOf(row.endpoint, target)}?${query}`), row.endpoint.status)
    if (body.meta?.pagination) assert.equal(body.meta.pagination.per_page, maximum)
  }
}

async function checkSlash(world: World, row: Row): Promise<void> {
  const { target, sample } = await prepare(world, row)
  if (sample.refusal) return
  const search = sample.query ? `?${sample.query}` : ''
  const path = pathOf(row.endpoint, target)
  const [plain, slashed] = [await world.api.get(path + search), await world.api.get(`${path}/${search}`)]
  assert.equal(slashed.status, plain.status)
  assert.deepEqual(Object.keys(slashed.body ?? {}), Object.keys(plain.body ?? {}))
}

/** Sends the fields of a resource that its update knows, each alone and all of them, as they were read. */
async function checkEcho(world: World, row: Row): Promise<void> {
  const ready = await prepare(world, row)
  const path = pathOf(row.endpoint, ready.target)
  const { status, body } = await world.api.get(path)
  assert.equal(status, 200)
  const [read] = Object.values(body) as Record<string, unknown>[]
  const known = Object.keys(row.endpoint.body!.properties).filter((name) => Object.hasOwn(read!, name))
  const echoes = known.map((name) => ({ [name]: read![name] }))
  for (const echo of [...echoes, Object.assign({}, ...echoes)]) {
    const answer = await sendBody(world, ready, echo)
    if (isRefusedRrset(row, echo))
      assert.match(answer.body.error.message, /^can't update (records|the TTL) with this endpoint$/)
    else assert.equal(answer.status, row.endpoint.status, `${JSON.stringify(echo)}: ${answer.text}`)
  }
}

/** An RRSet is the only resource whose update says what else changes one of its fields. */
const isRefusedRrset = ({ key }: Row, { records, ttl }: Record<string, unknown>) =>
  key === 'updateRrset' && (records ?? ttl) != null

forProjects('what clients send besides', (open) => {
  test('null in an optional field says that it is not given', async () => {
    await each(
      rows.filter(({ endpoint }) => endpoint.body),
      async (row) => checkNulls(await open(), row),
    )
  })

  test('the largest page is what who asks for a larger one gets', async () => {
    const world = await open()
    await each(
      rows.filter(({ endpoint }) => endpoint.query?.per_page),
      (row) => checkPageSize(world, row),
    )
  })

  test('a slash at the end of a path leads to the same', async () => {
    const world = await open()
    await each(rows.filter(isRead), (row) => checkSlash(world, row))
  })

  test('an update takes each field as it was read', async () => {
    await each(
      rows.filter(({ endpoint }) => endpoint.method === 'PUT'),
      async (row) => checkEcho(await open(), row),
    )
  })
})
