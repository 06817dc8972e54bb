/** The reset of a Project: all that is in it goes at once, and nothing of it comes back. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { newServer } from '../../src/families/servers/proof.ts'
import { families, simulate } from '../../src/families.ts'
import { leaveAllQueues } from '../../src/kernel/actions/claims.ts'
import { wolkeBase } from '../../src/kernel/contract/bases.ts'
import { ownedTables } from '../../src/kernel/data/emptying.ts'
import type { ProjectId } from '../../src/kernel/scope.ts'
import { LabClock } from '../../src/lab/clock.ts'
import { ask, serveDns } from '../dns/client.ts'
import { makeZone } from '../dns/zones.ts'
import { schemaTables } from '../kit/database/schema.ts'
import { forEachDatabase } from '../kit/harness.ts'
import { done, neverExisted } from '../kit/proof.ts'
import { listen } from '../stubs/event-stream.ts'
import { objectsOf, projectsOf, rowsOf } from './projects.ts'

/** Tables without rows of Projects. A new one has to be here, once it is known what a reset means for it. */
const installationTables = [
  ...['action_serial', 'address_pool', 'ceremony', 'console_origin', 'credential', 'dns_change', 'guess'],
  ...['installation_secret', 'key_canary', 'key_holder', 'management_token', 'person', 'person_link', 'project'],
  ...['rate_limit', 'schema_floor', 'session', 'sign_in', 'write_probe'],
]

async function until(isOver: () => boolean): Promise<void> {
  while (!isOver()) await new Promise(setImmediate)
}

forEachDatabase('The reset of a Project', (open, engineName) => {
  const start = () => new LabClock(Date.parse('2026-11-28T12:00:00Z'), 'frozen')

  test('begins with what others have to know of it', async () => {
    const world = await open({ lab: start(), alone: true, runActions: false })
    const { first } = await projectsOf(world)
    const scope = { projectId: first as ProjectId }
    await newServer(world.api, 'queues')
    await makeZone(world)
    for (let made = 0; made < 70; made++) {
      await done(world.api.post('/primary_ips', { name: `ip-${made}`, type: 'ipv4', location: 'fsn1' }))
    }
    const { query } = world.db
    await world.db.transact(async (tx) => {
      for (const { withdraw } of families) await withdraw(tx, scope)
      await leaveAllQueues(tx, scope)
    })
    const left = await sql`select 1 from address where project_id = ${first}`.execute(query)
    const queued = await sql`select 1 from action_serial`.execute(query)
    assert.deepEqual([left.rows.length, queued.rows.length], [0, 0])
  })

  if (engineName === 'postgres') {
    test('is refused where processes share a database', async () => {
      const { reset } = await projectsOf(await open({ lab: start(), alone: true }))
      const answer = await reset()
      assert.equal(answer.status, 422)
      assert.equal(answer.body.error.code, 'unsupported_error')
    })
    return
  }

  test('covers every table: those without rows of Projects are known', async () => {
    const { db } = await open({ lab: start(), alone: true })
    const owned = new Set((await ownedTables(db.query)).map(({ name }) => name))
    const others = schemaTables().map(({ name }) => name)
    assert.deepEqual(others.filter((name) => !owned.has(name)).sort(), installationTables)
  })

  test('lets nothing come back that was under way', async () => {
    const simulation = simulate({ delayMs: 0, slowMs: 50 })
    const world = await open({ lab: start(), alone: true, simulation })
    const { first, reset } = await projectsOf(world)
    const fresh = await rowsOf(world, first)
    simulation.behave(() => 'slow')
    const calls = simulation.record()
    for (let round = 1; round <= 5; round++) {
      const before = calls.length
      for (const name of ['one', 'two', 'three']) await newServer(world.api, name)
      await until(() => calls.length > before)
      assert.equal((await reset()).status, 204)
      await world.settle()
      assert.deepEqual(await rowsOf(world, first), fresh)
      assert.deepEqual(
        Object.values(objectsOf(world)).filter((size) => size > 0),
        [],
      )
    }
  })

  test('is heard of by name servers and by those who listen', async () => {
    const world = await open({ lab: start(), alone: true })
    const { reset } = await projectsOf(world)
    await makeZone(world, [{ name: 'www', type: 'A', records: [{ value: '192.0.2.1' }] }])
    const place = await serveDns(world)
    assert.equal((await ask(place, 'www.example.com', 'A')).rcode, 'NOERROR')
    const session = world.signIn('viewer')
    const listener = await listen(world, session)
    const { id: position } = await listener.until(({ name }) => name === 'ready')
    assert.equal((await reset()).status, 204)
    await listener.until(({ name }) => name === 'resync')
    listener.leave()
    assert.equal((await ask(place, 'www.example.com', 'A')).rcode, 'REFUSED')
    const again = await listen(world, session, position)
    await again.until(({ name }) => name === 'resync')
    again.leave()
  })

  test('gives back addresses at once', async () => {
    const world = await open({ lab: start(), alone: true, addressPool: ['192.0.2.0/30', '2001:db8::/62'] })
    const { reset } = await projectsOf(world)
    for (let round = 0; round < 3; round++) {
      await done(world.api.post('/primary_ips', { name: 'one', type: 'ipv4', location: 'fsn1' }))
      await done(world.api.post('/primary_ips', { name: 'two', type: 'ipv4', location: 'fsn1' }))
      assert.equal((await reset()).status, 204)
    }
  })

  test('is for operators, and for Projects that there are', async () => {
    const world = await open({ lab: start(), alone: true })
    const { first, reset } = await projectsOf(world)
    const path = `${new URL(world.baseUrl).origin}${wolkeBase}/projects/${first}/reset`
    assert.equal((await world.api.post(path)).status, 403)
    assert.equal((await reset(neverExisted)).status, 404)
  })
})
