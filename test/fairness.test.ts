/** One Project's requests leave the others their turns: those that wait for a row (PostgreSQL), and those that read much. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import type { ProjectId } from '../src/kernel/scope.ts'
import { run, until } from './bare-database.ts'
import { coverServers } from './covered-servers.ts'
import { type Answer, type Client, forEachDatabase, type World } from './harness.ts'

forEachDatabase('While all that a Project may hold of the database waits', (open, engineName) => {
  if (engineName !== 'postgres') return

  test('others read and write, its own lookups and their actions go on, and it is served in the end', async () => {
    const world = await open()
    const { api, foreign } = world
    const { id } = (await api.post('/firewalls', { name: 'contended' })).body.firewall
    const given = { name: 'other', server_type: 'cx23', image: 'debian-13' }
    const server = `/servers/${(await foreign.post('/servers', given)).body.server.id}`
    await world.settle()

    const rules = [{ direction: 'in', protocol: 'tcp', port: '80', source_ips: ['0.0.0.0/0'] }]
    const flood: Promise<Answer>[] = []
    await whileLocked(world, id, async () => {
      for (let i = 0; i < 30; i++) flood.push(api.post(`/firewalls/${id}/actions/set_rules`, { rules }))
      const onLocks = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
      const waiting = async () => (await run(world.db, onLocks)).length
      await until(async () => (await waiting()) === 4, 'the Project has its share of the eight connections')

      const { action } = (await foreign.post(`${server}/actions/reboot`)).body
      await until(async () => {
        const answer = await foreign.get(`/actions/${action.id}`)
        assert.equal(answer.status, 200, answer.text)
        return answer.body.action.status === 'success'
      }, 'an action of the other Project succeeds')
      assert.equal((await api.get(`/firewalls/${id}`)).status, 200)
      assert.equal((await fetch(new URL('/health', world.baseUrl))).status, 200)
      assert.equal(await waiting(), 4)
    })
    for (const answer of await Promise.all(flood)) assert.equal(answer.status, 201, answer.text)
  })
})

/** Does `work` while somebody else holds a firewall's row. */
async function whileLocked({ database }: World, id: number, work: () => Promise<void>): Promise<void> {
  const rival = new pg.Client({ connectionString: (database as { url: string }).url })
  await rival.connect()
  try {
    await rival.query('begin')
    await rival.query('select * from firewall where id = $1 for update', [id])
    await work()
  } finally {
    await rival.end()
  }
}

forEachDatabase('While a Project reads what is large with many clients', (open) => {
  test('others are answered in between, and each answer is whole', async () => {
    const world = await open()
    const { api, foreign, db } = world
    const { id: probe } = (await api.post('/firewalls', { name: 'probe' })).body.firewall
    const [row] = await run<{ project_id: number }>(db, `select project_id from firewall where id = ${probe}`)
    const scope = { projectId: Number(row!.project_id) as ProjectId }
    await db.transact((tx) => coverServers(tx, scope, { count: 5, servers: 2_100 }))
    const { id } = (await foreign.post('/firewalls', { name: 'small' })).body.firewall

    let answered = 0
    const ask = async ({ token }: Client, path: string) => {
      const answer = await fetch(`${world.baseUrl}${path}`, { headers: { authorization: `Bearer ${token}` } })
      // A large answer takes a while to arrive, so that its beginning counts.
      const place = answered++
      assert.equal(answer.status, 200)
      return { place, body: (await answer.json()) as Answer['body'] }
    }
    const large = Array.from({ length: 16 }, () => ask(api, '/firewalls'))
    const { place } = await ask(foreign, `/firewalls/${id}`)
    assert.ok(place < 8, `${place} of 16 large lists were answered before`)
    for (const { body } of await Promise.all(large)) {
      const counts = body.firewalls.map(countCovered)
      assert.deepEqual(counts, [0, 2_100, 2_100, 2_100, 2_100, 2_100])
    }
  })
})

/** How many servers the only entry of a firewall's `applied_to` names, in order and each once. */
function countCovered({
  applied_to: [entry],
}: {
  applied_to: { applied_to_resources: { server: { id: number } }[] }[]
}) {
  const ids = (entry?.applied_to_resources ?? []).map(({ server }) => server.id)
  assert.deepEqual(
    ids,
    [...new Set(ids)].sort((a, b) => a - b),
  )
  return ids.length
}
