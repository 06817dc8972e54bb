/** Dumps read only what may have been written, and have to find every write all the same. */
import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { test } from 'node:test'
import { sql } from 'kysely'
import { forEachDatabase } from '../harness.ts'
import { firstProject } from '../http/scoped-clients.ts'
import { done, unique } from '../proof.ts'
import { dump, freshDump } from './dump.ts'
import { schemaTables } from './schema.ts'
import { tablesWrittenBy } from './writes.ts'

const outside = AsyncLocalStorage.snapshot()

forEachDatabase('a dump', (open, engineName) => {
  test('finds what requests, transactions, single statements and the deletion of an owner write', async () => {
    const world = await open({ runActions: false })
    const { db, api } = world
    const project = await firstProject(world)
    const transact = (statement: string) => () => db.transact((tx) => sql.raw(statement).execute(tx.query))
    const writes: Readonly<Record<string, () => Promise<unknown>>> = {
      'a request': () => done(api.post('/firewalls', { name: unique('planted') })),
      'an update': transact(`update firewall set version = version + 1`),
      'a statement that says first what it writes': transact(
        `with found as (select id from firewall) update firewall set version = 7 where id in (select id from found)`,
      ),
      'another spelling': transact(`\n  UPDATE "firewall" SET version = 8`),
      'a limit of a Project': transact(
        `insert into project_limit (project_id, kind, most) values (${project}, 'volumes', 1)`,
      ),
      'an action': () => done(api.post('/servers', { name: 'planted', server_type: 'cpx22', image: 'debian-12' })),
      'what ends': world.settle,
      'the deletion of a token with its sessions': transact(`delete from token where name = 'session'`),
    }
    await db.transact(async (tx) => {
      await sql`insert into token (id, project_id, name, hash, tail, read_only, created, given)
        values (77, ${project}, 'session', 'h', 't', 0, '', 0)`.execute(tx.query)
      await sql`insert into session (id, hash, token_id, created, last_seen, ends, elevated_until, network, agent)
        values (78, 'h', 77, '', 0, 0, 0, '', '')`.execute(tx.query)
    })
    for (const [name, write] of Object.entries(writes)) {
      const before = await dump(db)
      assert.equal(await dump(db), before, 'nothing has happened')
      await write()
      assert.notEqual(await dump(db), before, name)
      assert.equal(await dump(db), await freshDump(db), name)
    }
  })

  if (engineName !== 'postgres') return

  test('finds what another world of the database writes, and what a transaction writes that ends after a dump', async () => {
    const world = await open({ runActions: false })
    const { db, database, clock, simulation } = world
    const other = await open({ runActions: false, database, clock, simulation })
    let during = await dump(db)
    await other.db.transact(async (tx) => {
      await sql`update project set created = 'planted'`.execute(tx.query)
      // In another context, because this one is within a transaction.
      during = await outside(() => dump(db))
    })
    assert.notEqual(await dump(db), during)
    assert.equal(await dump(db), await freshDump(db))
  })
})

test('a statement counts as a write of all that it may write', () => {
  const all = schemaTables().map(({ name }) => name)
  const writes = (text: string) => [...tablesWrittenBy(text)].sort()
  assert.deepEqual(writes('select * from "server" for no key update'), [])
  assert.deepEqual(writes('insert into "server" ("id") values (?)'), ['server'])
  assert.deepEqual(writes('insert into label select id from volume'), ['label', 'volume'])
  assert.ok(writes('delete from "project" where id = ?').includes('project_limit'))
  assert.ok(writes('delete from "token" where id = ?').includes('session'))
  assert.deepEqual(writes('vacuum'), all.sort())
})
