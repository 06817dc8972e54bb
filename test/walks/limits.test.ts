import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acrossProjects } from '../../src/kernel/data/scoped.ts'
import { setLimits } from '../../src/kernel/resource/limits.ts'
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

forProjects('Limits of a Project', (open) => {
  test('of 20 that come at once exactly as many are made as the limit allows', async () => {
    const { api, foreign } = await open({ limits: { firewalls: 7 } })
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => api.post('/firewalls', { name: `f${index}` })),
    )
    assert.equal(answers.filter(({ status }) => status === 201).length, 7)
    const refused = answers.filter(({ status }) => status !== 201)
    for (const { status, body } of refused) {
      assert.equal(status, 403)
      assert.deepEqual(body.error, {
        code: 'resource_limit_exceeded',
        message: 'firewall limit exceeded: a Project cannot have more than 7 firewalls',
        details: { limits: [{ name: 'firewalls' }] },
      })
    }
    assert.equal((await foreign.post('/firewalls', { name: 'f' })).status, 201)
  })

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

  test('what is deleted makes room', async () => {
    const { api } = await open({ limits: { floating_ips: 1 } })
    const make = () => api.post('/floating_ips', { type: 'ipv4', home_location: 'hel1' })
    const { floating_ip } = (await make()).body
    assert.equal((await make()).status, 403)
    await api.delete(`/floating_ips/${floating_ip.id}`)
    assert.equal((await make()).status, 201)
  })

  test("a Project's own limit goes before the default, and off lifts it", async () => {
    const { api, db } = await open({ limits: { servers: 0 } })
    const project = (
      await acrossProjects(db.query).selectFrom('project').selectAll().orderBy('id').executeTakeFirstOrThrow()
    ).id
    const set = (most: number | null | undefined) =>
      db.transact((tx) => setLimits(tx, { projectId: project }, { servers: most }))
    const make = async (name: string) =>
      (await api.post('/servers', { name, server_type: 'cpx22', image: 'debian-13' })).status
    assert.equal(await make('a'), 403)
    await set(1)
    assert.equal(await make('a'), 201)
    assert.equal(await make('b'), 403)
    await set(null)
    assert.equal(await make('b'), 201)
    await set(undefined)
    assert.equal(await make('c'), 403)
    await set(1)
    const { error } = (await api.post('/servers', { name: 'c', server_type: 'cpx22', image: 'debian-13' })).body
    assert.equal(error.message, 'server limit exceeded: a Project cannot have more than 1 servers')
  })
})
