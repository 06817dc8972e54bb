/**
 * One Project's requests leave the others their turns: those that wait for a row (PostgreSQL), those that read much, and
 * those that change what is large.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CompiledQuery } from 'kysely'
import pg from 'pg'
import { firewalls } from '../../src/families/firewalls/store.ts'
import type { Database } from '../../src/kernel/data/db.ts'
import { acrossProjects } from '../../src/kernel/data/scoped.ts'
import type { ProjectId, ProjectScope } from '../../src/kernel/scope.ts'
import { entriesOf } from '../kit/audit-log.ts'
import { run, until } from '../kit/database/bare-database.ts'
import { coverServers } from '../kit/database/covered-servers.ts'
import { watchDatabase } from '../kit/database/watched-database.ts'
import { type Answer, type Client, forEachDatabase, forProjects, type World } from '../kit/harness.ts'

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

forProjects('While a Project reads what is large with many clients', (open) => {
  test('others are answered in between, and each answer is whole', async () => {
    const world = await open()
    const { api, foreign, db } = world
    const scope = await scopeOf(api, db)
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

/** So many matched servers are read in a transaction at most, to see that the reply is large. */
const few = 21

/** Reads the servers that the selectors of a firewall or a Load Balancer match. */
const readsMatched = /^select \* from "(firewall|load_balancer)_match"/

forProjects('While a Project changes what is large', (open) => {
  /** A world that counts the rows of servers that transactions read, and does something after each commit. */
  async function openWatched() {
    const seen = { rows: 0, isWatching: false, afterCommit: async () => {}, beforeRead: () => {} }
    const after = ({ sql }: CompiledQuery, rows: readonly unknown[]) => {
      if (seen.isWatching && readsMatched.test(sql)) seen.rows += rows.length
    }
    const world = await open({
      runActions: false,
      wrapDatabase(db) {
        const watched = watchDatabase(db, () => ({ after }), { before: () => seen.beforeRead() })
        return {
          ...watched,
          get query() {
            return watched.query
          },
          async transact(work, options) {
            const result = await watched.transact(work, options)
            await seen.afterCommit()
            return result
          },
        }
      },
    })
    return { ...world, seen }
  }

  test('the servers that it stands for are read after the commit, and the reply has them all', async () => {
    const { api, settle, seen } = await openWatched()
    const servers: number[] = []
    for (let number = 0; number < 2 * few; number++) {
      const given = { name: `covered-${number}`, server_type: 'cx23', image: 'debian-13', labels: { env: 'prod' } }
      servers.push((await api.post('/servers', given)).body.server.id)
    }
    await settle()
    /** What a change replies, which reads few servers until its commit. */
    const change = async (method: string, path: string, body: unknown, status: number) => {
      seen.rows = 0
      seen.isWatching = true
      const answer = await api.request(method, path, { body })
      seen.isWatching = false
      assert.equal(answer.status, status, answer.text)
      assert.ok(seen.rows <= few, `${method} ${path} read ${seen.rows}`)
      return answer.body
    }
    const prod = { type: 'label_selector', label_selector: { selector: 'env=prod' } }
    const idsIn = (parts: { server: { id: number } }[]) => parts.map(({ server }) => server.id)

    const { firewall } = await change('POST', '/firewalls', { name: 'wide', apply_to: [prod] }, 201)
    assert.deepEqual(idsIn(firewall.applied_to[0].applied_to_resources), servers)
    const wide = `/firewalls/${firewall.id}`
    const labelled = (await change('PUT', wide, { labels: { a: 'b' } }, 200)).firewall
    assert.deepEqual(labelled, { ...firewall, labels: { a: 'b' } })
    await change('DELETE', wide, undefined, 422)
    const [first] = servers
    const one = { type: 'server', server: { id: first } }
    await change('POST', `${wide}/actions/remove_from_resources`, { remove_from: [one] }, 422)
    await change('POST', `${wide}/actions/apply_to_resources`, { apply_to: [one] }, 201)

    const given = { name: 'lb', load_balancer_type: 'lb11', location: 'fsn1', targets: [prod] }
    const { load_balancer } = await change('POST', '/load_balancers', given, 201)
    assert.deepEqual(idsIn(load_balancer.targets[0].targets), servers)
    await settle()
    const balancer = `/load_balancers/${load_balancer.id}`
    const named = (await change('PUT', balancer, { name: 'named' }, 200)).load_balancer
    assert.equal(named.name, 'named')
    assert.deepEqual(named, (await api.get(balancer)).body.load_balancer)
    assert.deepEqual(idsIn(named.targets[0].targets), servers)
    await change('POST', `${balancer}/actions/change_type`, { load_balancer_type: 'lb21' }, 201)
    await settle()
    await change('POST', `${balancer}/actions/add_target`, one, 201)
    await settle()
    await change('POST', `${balancer}/actions/remove_target`, one, 201)
    await settle()
    await change('DELETE', balancer, undefined, 201)
  })

  /** A firewall whose replies are large. */
  async function addLarge({ api, db }: World) {
    const scope = await scopeOf(api, db)
    const [id] = await db.transact((tx) => coverServers(tx, scope, { count: 1, servers: 2 * few }))
    return { id: id!, scope }
  }

  test('the reply shows its own change, though somebody else deletes the rest before it is read', async () => {
    const { seen, ...world } = await openWatched()
    const { api, db } = world
    const { id, scope } = await addLarge(world)
    seen.afterCommit = async () => {
      seen.afterCommit = async () => {}
      await db.transact(async (tx) => {
        await firewalls.lock(tx, scope, id)
        const rows = acrossProjects(tx.query)
        await rows.deleteFrom('firewall_match').where('firewall_id', '=', id).execute()
        await rows.deleteFrom('firewall_application').where('firewall_id', '=', id).execute()
        await rows.deleteFrom('firewall').where('id', '=', id).execute()
      })
    }
    const { status, body } = await api.put(`/firewalls/${id}`, { name: 'renamed' })
    assert.equal(status, 200)
    assert.equal(body.firewall.name, 'renamed')
    assert.deepEqual(body.firewall.applied_to, [])
    assert.equal((await api.get(`/firewalls/${id}`)).status, 404)
  })

  test('nobody is asked to repeat a change whose reply cannot be read, and the audit log has it once', async () => {
    const { seen, ...world } = await openWatched()
    const { api } = world
    const { id } = await addLarge(world)
    seen.afterCommit = async () => {
      seen.afterCommit = async () => {}
      seen.beforeRead = () => {
        seen.beforeRead = () => {}
        throw Object.assign(new Error('the connection is lost'), { code: 'ECONNRESET' })
      }
    }
    const answer = await api.put(`/firewalls/${id}`, { name: 'changed' })
    assert.equal(answer.status, 500)
    assert.equal(answer.body.error.code, 'server_error')
    const entries = await entriesOf(world, answer)
    assert.deepEqual(
      entries.map(({ outcome }) => outcome),
      ['ok'],
    )
    assert.equal((await api.get(`/firewalls/${id}`)).body.firewall.name, 'changed')
  })
})

/** The Project of a client. */
async function scopeOf(api: Client, db: Database): Promise<ProjectScope> {
  const { id: probe } = (await api.post('/firewalls', { name: 'probe' })).body.firewall
  const [row] = await run<{ project_id: number }>(db, `select project_id from firewall where id = ${probe}`)
  return { projectId: Number(row!.project_id) as ProjectId }
}

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
