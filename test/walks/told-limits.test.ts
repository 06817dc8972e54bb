/** Whatever there can be only so many of, its refusal says so itself: many programs print nothing else. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forProjects } from '../kit/harness.ts'
import { assertRefused } from '../kit/refusals.ts'
import { each, pathOf, prepare, rows } from '../kit/requests.ts'
import { readSources } from '../laws/source.ts'

interface Schema {
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly maxItems?: number
}

interface List {
  /** The body with a list that is too long, and nothing else. */
  readonly body: unknown
  readonly most: number
}

/** Each list of a schema, within what leads to it. */
function listsOf(schema: Schema): List[] {
  const { anyOf = [], items, properties = {}, maxItems: most } = schema
  return [
    ...anyOf.flatMap(listsOf),
    ...(most === undefined ? [] : [{ body: Array(most + 1).fill({}), most }]),
    ...(items ? listsOf(items).map(({ body, most }) => ({ body: [body], most })) : []),
    ...Object.entries(properties).flatMap(([name, one]) =>
      listsOf(one).map(({ body, most }) => ({ body: { [name]: body }, most })),
    ),
  ]
}

test('every refusal for a limit is made in one way, and says how many there can be of what', () => {
  const makers = readSources().filter(({ code }) => /new ApiError\(\s*'resource_limit_exceeded'/.test(code))
  assert.deepEqual(
    makers.map(({ path }) => path),
    ['kernel/errors.ts'],
  )
  const used = readSources().flatMap(({ path, code }) =>
    path === 'kernel/errors.ts'
      ? []
      : [...code.matchAll(/\blimitExceeded\([^)]*\)/g)].map(([call]) => ({ path, call, code })),
  )
  assert.ok(used.length >= 9, `only ${used.length} refusals`)
  const silent = used.filter(({ call, code }) => {
    const message = call.includes('message)') ? code : call
    return !/cannot (have|send|get) more than \$\{[^}]+\} \S/.test(message)
  })
  assert.deepEqual(
    silent.map(({ path, call }) => `${path}: ${call}`),
    [],
  )
})

forProjects('A limit', (open) => {
  test('a list that is too long is refused by its field, and the refusal itself says how long it can be', async () => {
    const world = await open()
    const lists = rows.flatMap((row) =>
      row.endpoint.body && !row.endpoint.removedBy
        ? listsOf(row.endpoint.body as Schema).map((list) => ({ ...row, ...list }))
        : [],
    )
    assert.ok(lists.length > 30, `only ${lists.length} lists`)
    await each(lists, async ({ body, most, ...row }) => {
      const { target } = await prepare(world, row)
      const answer = await world.api.request(row.endpoint.method, pathOf(row.endpoint, target), { body })
      assertRefused(answer, 'invalid_input')
      const [field] = Object.keys(body as object)
      const { message, details } = answer.body.error
      assert.equal(message, `invalid input in field '${field}': must not have more than ${most} items`)
      assert.equal(details.fields.length, 1)
    })
  })

  test('a query that is too long is refused by its parameter, and the refusal itself says how long it can be', async () => {
    const { api } = await open({ runActions: false })
    const list = rows.find(
      ({ endpoint: { query = {} } }) => 'name' in query && 'sort' in query && 'label_selector' in query,
    )
    const many = (count: number, one: string) => Array(count).fill(one)
    for (const [query, field, limit] of [
      [`name=${'x'.repeat(256)}`, 'name', 'must not have more than 255 characters'],
      [many(101, 'sort=id').join('&'), 'sort', 'must not be given more than 100 times'],
      [`label_selector=${'x'.repeat(1_025)}`, 'label_selector', 'a label selector cannot have more than 1024 bytes'],
      [
        `label_selector=${many(17, 'a')}`,
        'label_selector',
        'a label selector cannot have more than 16 terms, see position 32',
      ],
    ] as const) {
      const answer = await api.get(`${list!.endpoint.path}?${query}`)
      assertRefused(answer, 'invalid_input')
      assert.equal(answer.body.error.message, `invalid input in field '${field}': ${limit}`)
    }
  })
})
