/**
 * Every endpoint, called with tokens that see the resources with some labels: all others are not there, and what would
 * reach them is refused without a trace.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { families, familyOfType } from '../../../src/families.ts'
import { familyOf } from '../../../src/kernel/access/token-scope.ts'
import type { Endpoint } from '../../../src/kernel/contract/contract.ts'
import { namingFields } from '../../../src/kernel/contract/references.ts'
import type { EveryTable } from '../../../src/kernel/data/db.ts'
import { checkConsistency } from '../../kit/consistency.ts'
import { dump } from '../../kit/database/dump.ts'
import { schemaTables } from '../../kit/database/schema.ts'
import { type Answer, type Client, forEachDatabase, testClock, type World } from '../../kit/harness.ts'
import { scopedClient } from '../../kit/http/scoped-clients.ts'
import { ownRows } from '../../kit/own-requests.ts'
import { neverExisted } from '../../kit/proof.ts'
import { references, samples } from '../../kit/proofs.ts'
import { assertRefused } from '../../kit/refusals.ts'
import { each, parts, pathOf, prepare, type Ready, type Row, rows } from '../../kit/requests.ts'

const isRead = ({ endpoint }: Row) => endpoint.method === 'GET'
const namesResource = ({ path }: Endpoint) => /^\/\w+\/\{/.test(path)

function assertForbidden(answer: Answer, lacks: object): void {
  assertRefused(answer, 'forbidden')
  assert.deepEqual(answer.body.error.details.lacks, lacks)
}

function checkWorks({ row, sample }: Ready, answer: Answer): void {
  if (sample.refusal) assertRefused(answer, sample.refusal)
  else assert.equal(answer.status, row.endpoint.status, answer.text)
}

forEachDatabase('every endpoint and what a selector leaves out', (open) => {
  test('labels: what does not match is not there, and what matches works', async () => {
    for (const { some, day } of parts) {
      const world = await open({ runActions: false, clock: testClock(day) })
      const inside = await scopedClient(world, { label_selector: `${key}=in` })
      await each(some, (row) => checkLabels(world, row, inside))
      await world.settle()
      await checkConsistency(world, { pendingToo: true })
    }
  })

  test('labels: a reference to what does not match is answered like one to what never was', async () => {
    const world = await open({ runActions: false })
    const inside = await scopedClient(world, { label_selector: `${key}=in` })
    await each(
      Object.entries(references).map(([name, reference]) => ({ name, ...reference })),
      async ({ name, family, body }) => {
        const row = rows.find((one) => one.name === name.split(' ')[0])!
        const { target } = await prepare(world, row)
        const other = await samples[family]!.prepare(world)
        await label(world, 'out')
        if (namesResource(row.endpoint)) await labelOne(world, row, target.id, 'in')
        const before = await dump(world.db)
        const send = (id: number) => inside.post(pathOf(row.endpoint, target), withLabels(row, body(id)))
        const [hidden, never] = [await send(other.id), await send(neverExisted)]
        assert.equal(hidden.status, never.status)
        assert.ok([404, 422].includes(hidden.status), hidden.text)
        assert.equal(hidden.text.replaceAll(`${other.id}`, 'ID'), never.text.replaceAll(`${neverExisted}`, 'ID'))
        assert.equal(await dump(world.db), before, 'a refused request had an effect')
      },
    )
  })
})

const key = 'scope.test/env'
const resourceTables = schemaTables().flatMap(({ name, columns }) =>
  columns.includes('labels') && columns.includes('version') ? [name as keyof EveryTable] : [],
)

/** Gives every resource of the world the same value of the label that scopes select by. */
async function label(world: World, value: string): Promise<void> {
  for (const table of resourceTables) {
    await world.db.transact((tx) =>
      sql`update ${sql.table(table)} set labels = ${JSON.stringify({ [key]: value })}`.execute(tx.query),
    )
  }
  await indexAnew(world)
}

async function labelOne(world: World, row: Row, id: number, value: string): Promise<void> {
  const table = families.find(({ name }) => name === familyOf(row.endpoint))!.spelling.type
  await world.db.transact((tx) =>
    sql`update ${sql.table(table)} set labels = ${JSON.stringify({ [key]: value })} where id = ${id}`.execute(tx.query),
  )
  await indexAnew(world)
}

/** Makes the label index say what the rows say. */
async function indexAnew({ db }: World): Promise<void> {
  await db.transact(async (tx) => {
    for (const kind of resourceTables) {
      await sql`delete from label where kind = ${kind}`.execute(tx.query)
      const { rows: all } = await sql<{ id: number; project_id: number; labels: string }>`
        select id, project_id, labels from ${sql.table(kind)}
      `.execute(tx.query)
      for (const { id, project_id, labels } of all) {
        for (const [name, value] of Object.entries(JSON.parse(labels))) {
          await sql`
            insert into label (project_id, kind, resource_id, key, value)
            values (${project_id}, ${kind}, ${id}, ${name}, ${value})
          `.execute(tx.query)
        }
      }
    }
  })
}

/** The body with labels that match, where the resource that it makes or changes has labels. */
function withLabels({ endpoint }: Row, body: unknown): unknown {
  if (endpoint.body?.properties.labels === undefined) return body
  const { labels } = (body ?? {}) as { labels?: object }
  return { ...(body as object), labels: { ...labels, [key]: 'in' } }
}

/** Whether an endpoint has to be refused because it is about everybody's resources. */
const isAboutAll = ({ endpoint }: Row, { sample }: Ready) =>
  endpoint.narrows === true && !endpoint.path.includes('{') && !sample.query?.includes('id=')

/** Whether the sample names what only a selector or an address says. */
const standsForOthers = ({ endpoint }: Row, { sample }: Ready) =>
  Object.entries(endpoint.refers ?? {}).some(
    ([path, { of }]) =>
      of === 'several' && JSON.stringify(sample.body ?? {}).includes(`"${path.split(/[.[\]]+/).at(-1)}"`),
  )

/** The text of an answer without the ids that it repeats. */
function withoutIds({ text }: Answer, { id, actionId }: Ready['target']): string {
  return text.replaceAll(`${id}`, 'ID').replaceAll(`${actionId}`, 'ID')
}

async function checkLabels(world: World, row: Row, inside: Client): Promise<void> {
  const { endpoint } = row
  const ready = await prepare(world, row)
  await label(world, 'out')
  const send = (client: Client, labelled: boolean) =>
    client.request(
      endpoint.method,
      pathOf(endpoint, ready.target) + (ready.sample.query ? `?${ready.sample.query}` : ''),
      {
        ...(endpoint.body ? { body: labelled ? withLabels(row, ready.sample.body) : ready.sample.body } : {}),
      },
    )
  const before = await dump(world.db)
  if (namesResource(endpoint) && !endpoint.isShared) {
    assertRefused(await send(inside, true), 'not_found')
    const bad =
      endpoint.body &&
      (await inside.request(endpoint.method, pathOf(endpoint, ready.target), { body: { surprise: 1 } }))
    if (bad) assertRefused(bad, 'not_found')
    const never = await inside.request(
      endpoint.method,
      pathOf(endpoint, { id: neverExisted, actionId: neverExisted }),
      {
        ...(endpoint.body ? { body: ready.sample.body } : {}),
      },
    )
    const hidden = await send(inside, true)
    assert.equal(withoutIds(hidden, ready.target), never.text.replaceAll(`${neverExisted}`, 'ID'))
  } else if (!endpoint.isShared && isRead(row)) {
    const answer = await send(inside, true)
    const ids = [ready.target.id, ready.target.actionId].filter((id) => id !== undefined)
    if (answer.status === 200)
      for (const id of ids) assert.ok(!answer.text.includes(`"id":${id},`), 'it shows what does not match')
    else assert.ok(['forbidden', 'not_found'].includes(answer.body.error.code), answer.text)
  } else if (!endpoint.isShared) {
    assertRefused(await send(inside, false), 'forbidden')
  }
  assert.equal(await dump(world.db), before, 'a refused request had an effect')
  await label(world, 'in')
  const answer = await send(inside, true)
  if (isAboutAll(row, ready) || standsForOthers(row, ready))
    return assertForbidden(answer, { label_selector: `${key}=in` })
  checkWorks(ready, answer)
}

// ---- The contract --------------------------------------------------------------------------------------------------

test('every field of a body that names something says what it names', () => {
  for (const { name, endpoint } of rows) {
    const fields = endpoint.body ? namingFields(endpoint.body) : []
    for (const field of fields) assert.ok(endpoint.refers?.[field], `${name} ${field}`)
  }
})

test('every kind of resource is that of one family, whose path and type nobody else has', () => {
  const types = families.map(({ spelling }) => spelling.type)
  for (const all of [types, families.map(({ name }) => name)]) assert.equal(new Set(all).size, families.length)
  for (const { spelling } of families) assert.equal(familyOfType(spelling.type), spelling.path)
  assert.deepEqual(
    // A part of a resource has its type before its own name.
    resourceTables.filter((table) => !types.some((type) => `${table}_`.startsWith(`${type}_`))),
    [],
  )
})

test('what has a resource in its path says which, and something reads that', () => {
  const readers = new Set(
    rows.filter(({ endpoint }) => endpoint.method === 'GET').map(({ base, endpoint: { path } }) => base + path),
  )
  for (const { name, base, endpoint } of rows) {
    const { path, of, within, isShared, narrows } = endpoint
    if (path.includes('{') && !isShared && !narrows) assert.ok(of, name)
    for (const place of [of, within])
      if (place !== undefined) assert.ok(`${path}/`.startsWith(`${place}/`) && readers.has(base + place), name)
  }
})

test('every operation is of a family, with a command where its path has one', () => {
  for (const { name, endpoint } of rows) {
    const [, family, ...rest] = endpoint.path.split('/')
    assert.equal(familyOf(endpoint), family, name)
    const isCommand = endpoint.method === 'POST' && rest.at(-2) === 'actions'
    assert.equal(endpoint.command, isCommand ? rest.at(-1) : undefined, name)
  }
  for (const { name, endpoint } of ownRows) assert.notEqual(familyOf(endpoint), '', name)
})
