/**
 * Every endpoint, called by people with every role through the door of the console: the row of the contract decides who
 * may call it, and nothing else.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { covers, isRole, type Role, roles } from '../../src/kernel/access/roles.ts'
import { checkConsistency } from '../consistency.ts'
import { forEachDatabase, testClock, type World } from '../harness.ts'
import { assertRefused } from '../refusals.ts'
import { each, parts, prepare, type Row } from '../requests.ts'
import { dump } from '../schema.ts'

/** Only the first role that covers the need may have an effect; all below are told what they lack. */
async function checkRoles(world: World, row: Row): Promise<void> {
  const { needs } = row.endpoint
  assert.ok(isRole(needs), `${row.name} needs no role in a Project`)
  const ready = await prepare(world, row)
  const before = await dump(world.db)
  for (const role of roles.filter((one) => !covers(one, needs))) {
    const refused = await ready.send(world.as(role))
    assertRefused(refused, 'forbidden')
    assert.deepEqual(refused.body.error.details, { needs, role })
  }
  const foreign = await ready.send(world.as('owner'), undefined, { origin: 'http://elsewhere.example' })
  if (row.endpoint.method !== 'GET') assertRefused(foreign, 'forbidden')
  assertRefused(await ready.send(world.as('owner'), undefined, { cookie: 'session=none' }), 'unauthorized')
  assert.equal(await dump(world.db), before, 'a refused request had an effect')
  const answer = await ready.send(world.as(needs as Role))
  if (ready.sample.refusal) return assertRefused(answer, ready.sample.refusal)
  assert.equal(answer.status, row.endpoint.status, answer.text)
}

forEachDatabase('every endpoint and every role', (open) => {
  test('lets in who has the role of its row, and nobody below it', async () => {
    for (const { some, day } of parts) {
      const world = await open({ runActions: false, clock: testClock(day) })
      await each(some, (row) => checkRoles(world, row))
      await world.settle()
      await checkConsistency(world, { pendingToo: true })
    }
  })

  test('every role above may do what the roles below may', async () => {
    const world = await open({ runActions: false })
    for (const role of roles) {
      const { status } = await world.as(role).get('/servers')
      assert.equal(status, 200, role)
    }
  })

  test('a token counts only at the door of programs, and a session only at that of the console', async () => {
    const world = await open({ runActions: false })
    const door = new URL('/console/api/projects/', world.baseUrl).href
    const { status: withToken } = await world.api.get(`${door}1/v1/servers`)
    const { status: withCookie } = await world.as('owner').get(`${world.baseUrl}/servers`)
    assert.deepEqual([withToken, withCookie], [401, 401])
    assertRefused(await world.as('owner').get(`${door}9007199254740000/v1/servers`), 'not_found')
  })
})
