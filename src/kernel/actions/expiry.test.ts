import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { forEachDatabase, testClock, type World } from '../../../test/kit/harness.ts'
import { expect } from '../../../test/kit/resources.ts'
import { serverBody } from '../../families/servers/proof.ts'

const dayMs = 24 * 3_600_000

/** The tables that say something about an action. */
const tables = { action: 'id', action_history: 'action_id', action_unfiled: 'action_id', token_action: 'action_id' }

forEachDatabase('An action that gets old', (open) => {
  /** Starts an action on a new firewall. */
  async function start({ api }: World) {
    const { firewall } = expect(await api.post('/firewalls', { name: 'old' }), 201).body
    const body = { rules: [{ direction: 'in', protocol: 'icmp', source_ips: ['0.0.0.0/0'] }] }
    const { actions } = expect(await api.post(`/firewalls/${firewall.id}/actions/set_rules`, body), 201).body
    return { firewall: firewall.id as number, id: actions[0].id as number }
  }

  /** Tells by each endpoint whether it shows an action. */
  async function seenBy({ api }: World, { firewall, id }: { firewall: number; id: number }) {
    const ways = ['/actions/ID', '/firewalls/actions/ID', `/firewalls/${firewall}/actions/ID`]
    const byId = ways.map(async (way) => (await api.get(way.replace('ID', String(id)))).status === 200)
    const lists = [
      `/actions?id=${id}`,
      `/firewalls/actions?id=${id}`,
      '/firewalls/actions',
      `/firewalls/${firewall}/actions`,
    ]
    const inLists = lists.map(async (list) => {
      const { actions } = expect(await api.get(list), 200).body
      return actions.some((action: { id: number }) => action.id === id)
    })
    return [...new Set(await Promise.all([...byId, ...inLists]))]
  }

  /** Names the tables that have anything of an action. */
  async function keptIn({ db }: World, id: number): Promise<string[]> {
    const kept: string[] = []
    for (const [table, column] of Object.entries(tables)) {
      const { rows } = await sql`select 1 from ${sql.table(table)} where ${sql.ref(column)} = ${id}`.execute(db.query)
      if (rows.length > 0) kept.push(table)
    }
    return kept
  }

  test('is shown by every endpoint for 90 days and by none later, whenever the job has run', async () => {
    const world = await open({ alone: true, clock: testClock() })
    const action = await start(world)
    await world.settle()
    world.clock.advance(90 * dayMs)
    assert.deepEqual(await seenBy(world, action), [true])
    await world.app.jobs.run()
    assert.deepEqual(await seenBy(world, action), [true])
    world.clock.advance(1_000)
    assert.deepEqual(await seenBy(world, action), [false], 'before the job')
    assert.deepEqual((await keptIn(world, action.id)).slice(0, 2), ['action', 'action_history'])
    await world.app.jobs.run()
    assert.deepEqual(await seenBy(world, action), [false])
    assert.deepEqual(await keptIn(world, action.id), [])
    assert.equal((await world.api.get(`/firewalls/${action.firewall}`)).status, 200)
  })

  test('stays as long as it runs, and goes once it has ended', async () => {
    const world = await open({ alone: true, clock: testClock(), runActions: false })
    const { server, action } = expect(await world.api.post('/servers', serverBody('old')), 201).body
    world.clock.advance(91 * dayMs)
    await world.app.jobs.run()
    assert.deepEqual((await keptIn(world, action.id))[0], 'action')
    await world.settle()
    assert.equal(expect(await world.api.get(`/servers/${server.id}`), 200).body.server.status, 'running')
    await world.app.jobs.run()
    assert.deepEqual(await keptIn(world, action.id), [])
  })
})
