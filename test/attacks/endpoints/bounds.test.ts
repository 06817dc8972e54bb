/**
 * Whatever a request carries is bounded by its contract, so that no value reaches a database that cannot keep it: every
 * schema is looked through, and every endpoint is sent the worst values in each place of its path, query and body.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Type } from 'typebox'
import { Labels, type Param } from '../../../src/kernel/contract/contract.ts'
import { checkConsistency } from '../../kit/consistency.ts'
import { forEachDatabase, testClock, type World } from '../../kit/harness.ts'
import { eras, pathOf, prepare, type Row, rows } from '../../kit/requests.ts'

interface Schema {
  readonly type?: string
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly maxLength?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
}

// ---- Every contract ------------------------------------------------------------------------------------------------

/** What no handler reads, in whatever shape: it is bounded by the size, depth and entries of the body. */
const neverRead = [
  'applied_to_resources[]',
  'updateRrset.records',
  'updateRrset.ttl',
  ...['name', 'labels', 'apply_to'].map((field) => `setRules.${field}`),
]

/** The places of a schema that take values without a bound. */
function unbounded(schema: Schema, place: string): string[] {
  const { type, anyOf, items, properties = {}, minimum = -Infinity, maximum = Infinity } = schema
  if (anyOf) return anyOf.flatMap((one) => unbounded(one, place))
  // Labels are bounded one by one, in words that name them.
  if (schema.enum || 'const' in schema || JSON.stringify(schema) === JSON.stringify(Labels)) return []
  switch (type) {
    case 'null':
    case 'boolean':
      return []
    case 'string':
      return schema.maxLength === undefined ? [place] : []
    case 'integer':
      return minimum < Number.MIN_SAFE_INTEGER || maximum > Number.MAX_SAFE_INTEGER ? [place] : []
    case 'array':
      return [...(schema.maxItems === undefined ? [place] : []), ...unbounded(items ?? {}, `${place}[]`)]
    case 'object':
      return Object.entries(properties).flatMap(([name, one]) => unbounded(one, `${place}.${name}`))
    default:
      return neverRead.some((known) => place.endsWith(known)) ? [] : [place]
  }
}

const paramsOf = ({ endpoint: { query = {} } }: Row) => Object.entries<Param<unknown>>(query)

test('every string, number and list that a request carries is bounded by its contract', () => {
  const bodies = rows.flatMap(({ endpoint, key }) => (endpoint.body ? unbounded(endpoint.body as Schema, key) : []))
  const queries = rows.flatMap((row) =>
    paramsOf(row).flatMap(([name, { schema }]) => unbounded(schema as Schema, `${row.name}?${name}`)),
  )
  assert.deepEqual([...bodies, ...queries], [])
  const planted = Type.Object({
    text: Type.Union([Type.String(), Type.Null()]),
    list: Type.Array(Type.Integer({ minimum: 1 })),
    map: Type.Record(Type.String(), Type.Number()),
    any: Type.Unknown(),
  })
  assert.deepEqual(unbounded(planted as Schema, 'a'), ['a.text', 'a.list', 'a.list[]', 'a.any'])
})

// ---- Every endpoint ------------------------------------------------------------------------------------------------

const long = 'x'.repeat(60_000)
/** Longer than what an index of PostgreSQL can hold. */
const incompressible = randomBytes(4_000).toString('hex')

/** Texts for a path or a query, encoded. */
const nastyTexts = [
  '9223372036854775808',
  '1e400',
  '-1',
  '%00',
  'a%00b',
  '%ED%A0%80',
  '%F0%9F%92%A9',
  '%',
  "'%22--",
  long.slice(0, 10_000),
]

/** Values for a body, as JSON. */
const nastyValues = [
  '9007199254740993',
  '9223372036854775808',
  '-9223372036854775809',
  '1e400',
  '-1',
  '"9223372036854775808"',
  '"\\u0000"',
  '"a\\ud800"',
  '""',
  `"${long}"`,
  'null',
  '{"a":1}',
  `{"${incompressible}":"${incompressible}"}`,
  '[null]',
  '[9223372036854775808]',
  '["a"]',
]

type Path = readonly (string | number)[]

/** Every place of a body: those of its schema, and each of a list's entries is its first. */
function placesOf(schema: Schema, path: Path = []): Path[] {
  const deeper = (schema.anyOf ?? [schema]).flatMap(({ items, properties = {} }) => [
    ...Object.entries(properties).flatMap(([name, one]) => placesOf(one, [...path, name])),
    ...(items ? placesOf(items, [...path, 0]) : []),
  ])
  return path.length === 0 ? deeper : [path, ...deeper]
}

const here = 'the nasty value'

/** A copy of a body with something in one place, which is made when it is not there. */
function withValue(body: unknown, [first, ...rest]: Path, value: unknown): unknown {
  if (first === undefined) return value
  const isObject = typeof body === 'object' && body !== null
  if (typeof first === 'number') return [withValue(isObject ? (body as unknown[])[0] : undefined, rest, value)]
  const fields = isObject ? (body as Record<string, unknown>) : {}
  return { ...fields, [first]: withValue(fields[first], rest, value) }
}

interface Nasty {
  readonly path: string
  readonly body?: string
}

/** One request for each nasty value in each place. */
async function nastyRequests(world: World, row: Row): Promise<Nasty[]> {
  const { endpoint } = row
  const { target, sample } = await prepare(world, row)
  const path = pathOf(endpoint, target)
  const body = sample.body === undefined ? {} : { body: JSON.stringify(sample.body) }
  const search = sample.query ? `${sample.query}&` : ''
  const segments = endpoint.path.split('/').flatMap((part, i) => (part.startsWith('{') ? [i] : []))
  const inPath = segments.flatMap((segment) =>
    nastyTexts.map((text) => ({ path: path.split('/').with(segment, text).join('/'), ...body })),
  )
  const inQuery = paramsOf(row).flatMap(([name]) =>
    nastyTexts.map((text) => ({ path: `${path}?${search}${name}=${text}`, ...body })),
  )
  const inBody = (endpoint.body ? placesOf(endpoint.body as Schema) : []).flatMap((place) => {
    const template = JSON.stringify(withValue(sample.body, place, here))
    return nastyValues.map((value) => ({ path, body: template.replace(JSON.stringify(here), () => value) }))
  })
  return [...inPath, ...inQuery, ...inBody]
}

/** Requests at a time: each has a connection, of which an address may have only so many. */
const atOnce = 200

forEachDatabase('the worst values', (open) => {
  test('are refused, or taken, in each place of each endpoint, and never fail', async (t) => {
    const statuses = new Map<number, number>()
    for (const { some, day } of eras) {
      const world = await open({ runActions: false, clock: testClock(day) })
      for (const row of some) {
        const requests = await nastyRequests(world, row)
        for (let from = 0; from < requests.length; from += atOnce) {
          const some = requests.slice(from, from + atOnce)
          const answers = await Promise.all(
            some.map(({ path, body }) => world.api.request(row.endpoint.method, path, { body })),
          )
          for (const [i, { status, text }] of answers.entries()) {
            const { path, body = '' } = some[i]!
            statuses.set(status, (statuses.get(status) ?? 0) + 1)
            assert.ok(status < 500, `${row.name} ${path.slice(0, 300)} ${body.slice(0, 500)}: ${status} ${text}`)
          }
        }
      }
      await world.settle()
      await checkConsistency(world)
    }
    t.diagnostic(JSON.stringify(Object.fromEntries(statuses)))
  })
})
