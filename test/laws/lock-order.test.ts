/** The one order of locks: it has a place for every table, and who leaves it is found out. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { newFirewall } from '../../src/families/firewalls/proof.ts'
import { newServer } from '../../src/families/servers/proof.ts'
import { familyLocks } from '../../src/families.ts'
import type { Transaction } from '../../src/kernel/data/db.ts'
import { orderLocks } from '../../src/kernel/data/locks.ts'
import { openDatabase } from '../../src/kernel/data/open.ts'
import { acrossProjects } from '../../src/kernel/data/scoped.ts'
import { recordLocks } from '../kit/database/lock-recorder.ts'
import { watchDatabase } from '../kit/database/watched-database.ts'
import { forEachDatabase, type World } from '../kit/harness.ts'

/** What is reported of a transaction that does `work` and is then taken back. */
async function violations(world: World, work: (tx: Transaction) => Promise<unknown>): Promise<string[]> {
  const reports: string[] = []
  // The world's own database is watched already.
  const plain = await openDatabase(world.database, { clock: world.clock })
  const watched = watchDatabase(plain, () => recordLocks((error) => reports.push(error.message)))
  const undone = new Error('undone')
  const attempt = watched.transact(async (tx) => {
    await work(tx)
    throw undone
  })
  await assert.rejects(attempt, undone)
  await watched.close()
  return reports
}

const lockServers = (tx: Transaction, ids: readonly number[], mode: 'share' | 'update' | 'skip') =>
  sql`select id from server where id in (${sql.join(ids)}) order by id ${tx.dialect.lockRows(mode)}`.execute(tx.query)

const giveBack = (tx: Transaction) =>
  acrossProjects(tx.query).deleteFrom('resource_lock').where('action_id', '=', 1).execute()

const change = (tx: Transaction, id: number) =>
  acrossProjects(tx.query).updateTable('server').set({ version: 9 }).where('id', '=', id).execute()

test('the order of locks agrees with every family, whose locks lie between names and the Project', () => {
  const { order } = orderLocks(familyLocks)
  for (const chain of familyLocks.flatMap((locks) => locks.order)) {
    const places = chain.map((lock) => order.indexOf(lock))
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
      chain.join(', '),
    )
    assert.ok(order.indexOf('key name') < places[0]! && places.at(-1)! < order.indexOf('project'), chain.join(', '))
  }
  assert.equal(new Set(order).size, order.length)
})

test('parts that contradict each other have no order', () => {
  const parts = [{ order: [['server', 'image']] }, { order: [['image', 'zone', 'server']] }] as const
  assert.throws(() => orderLocks(parts), /wait for each other: .*server/)
})

forEachDatabase('the order of locks', (open, engineName) => {
  test('has a place for every table', async () => {
    const { db } = await open()
    const tables = await db.query.introspection.getTables()
    const { order, belonging } = orderLocks(familyLocks)
    const placed = new Set<string>([...order, ...Object.keys(belonging)])
    assert.notEqual(tables.length, 0)
    assert.deepEqual(
      tables.map(({ name }) => name).filter((name) => !placed.has(name) && name !== 'id_sequence'),
      [],
    )
  })

  if (engineName !== 'postgres') return

  test('a transaction that keeps to it is not complained about', async () => {
    const world = await open()
    const firewall = await newFirewall(world.api, 'f')
    const [a, b] = [await newServer(world.api, 'a'), await newServer(world.api, 'b')]
    const found = await violations(world, async (tx) => {
      await tx.dialect.lockKeys(['project 1'], 'share')?.execute(tx.query)
      await acrossProjects(tx.query).updateTable('firewall').set({ version: 2 }).where('id', '=', firewall).execute()
      await lockServers(tx, [a, b], 'update')
      await tx.dialect.lockKeys([`server:${b}`])?.execute(tx.query)
      await giveBack(tx)
      await change(tx, a)
    })
    assert.deepEqual(found, [])
  })

  const planted: readonly [string, RegExp, (tx: Transaction, a: number, b: number) => Promise<unknown>][] = [
    [
      'a table before one that is locked',
      /update server \d+: it comes before delete resource_lock/,
      async (tx, a) => {
        await giveBack(tx)
        await change(tx, a)
      },
    ],
    [
      'a key after what comes behind it',
      /key 'once x': it comes before lock server/,
      async (tx, a) => {
        await lockServers(tx, [a], 'update')
        await tx.dialect.lockKeys(['once x'])?.execute(tx.query)
      },
    ],
    [
      'rows against the order of their ids',
      /update server \d+: rows are locked in the order/,
      async (tx, a, b) => {
        await change(tx, b)
        await change(tx, a)
      },
    ],
    [
      'a row that is shared',
      /update server \d+: the transaction has it shared/,
      async (tx, a) => {
        await lockServers(tx, [a], 'share')
        await change(tx, a)
      },
    ],
    [
      'a kind of key without a place',
      /key surprise has no place/,
      async (tx) => {
        await tx.dialect.lockKeys(['surprise x'])?.execute(tx.query)
      },
    ],
  ]
  for (const [what, expected, work] of planted) {
    test(`one that locks ${what} is found out`, async () => {
      const world = await open()
      const [a, b] = [await newServer(world.api, 'a'), await newServer(world.api, 'b')]
      await world.settle()
      const found = await violations(world, (tx) => work(tx, a, b))
      assert.equal(found.length, 1)
      assert.match(found[0]!, expected)
    })
  }

  test('what is locked without waiting may come at any time', async () => {
    const world = await open()
    const id = await newServer(world.api, 'a')
    assert.deepEqual(
      await violations(world, async (tx) => {
        await giveBack(tx)
        await lockServers(tx, [id], 'skip')
      }),
      [],
    )
  })
})
