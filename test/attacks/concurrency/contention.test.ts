/** A short form of the long attack (contention.ts): everybody wants the same few things, of three processes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { newServer } from '../../../src/families/servers/proof.ts'
import type { Database, Transaction } from '../../../src/kernel/data/db.ts'
import { warnOfRetries } from '../../../src/kernel/data/retries.ts'
import { checkConsistency } from '../../kit/consistency.ts'
import { forEachDatabase } from '../../kit/harness.ts'
import { settleAll } from '../../kit/resources.ts'
import { contention } from '../kit/contention.ts'

const seed = Number(process.env.WOLKE_TEST_SEED ?? 20_261_121)

/** The warnings about what had to be done again. */
function retriesOf() {
  const warnings: { readonly table?: string }[] = []
  const warn = (warning: object) => void warnings.push(warning)
  return { warnings, wrapDatabase: (db: Database) => warnOfRetries(db, { warn } as never) }
}

forEachDatabase('contention', (open, engineName) => {
  test(`nobody waits in a circle, and no answer is a 5xx (seed ${seed})`, async (t) => {
    const { warnings, wrapDatabase } = retriesOf()
    const world = await open({ wrapDatabase })
    const { database, clock, simulation } = world
    const others = engineName === 'postgres' ? 2 : 0
    const worlds = [world]
    while (worlds.length <= others) worlds.push(await open({ wrapDatabase, database, clock, simulation }))
    const { finished, answers, failures, neighbour } = await contention({
      urls: worlds.map(({ baseUrl }) => baseUrl),
      token: world.api.token!,
      neighbour: world.foreign.token!,
      seed,
      requests: 200,
      clients: 12,
      idleWrites: 1,
    })
    assert.deepEqual([warnings, failures, neighbour?.failures], [[], [], []])
    assert.ok(finished >= 200)
    t.diagnostic(JSON.stringify(answers))
    await settleAll(...worlds)
    await checkConsistency(world)
  })

  if (engineName !== 'postgres') return

  test('who does wait in a circle is done again, and the log names the table', async () => {
    const { warnings, wrapDatabase } = retriesOf()
    const world = await open()
    const [a, b] = [await newServer(world.api, 'a'), await newServer(world.api, 'b')]
    await world.settle()
    // Past what holds the order of locks against the transactions of this world.
    const { openDatabase } = await import('../../../src/kernel/data/open.ts')
    const db = wrapDatabase(await openDatabase(world.database, { clock: world.clock }))
    const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const lock = (tx: Transaction, id: number) =>
      sql`select id from server where id = ${id} ${tx.dialect.lockRows('update')}`.execute(tx.query)
    const take = (first: number, then: number, me: number) =>
      db.transact(async (tx) => {
        await sql`set local deadlock_timeout = '10ms'`.execute(tx.query)
        await lock(tx, first)
        both[me]!.resolve()
        await Promise.all(both.map(({ promise }) => promise))
        await lock(tx, then)
      })
    await Promise.all([take(a, b, 0), take(b, a, 1)])
    await db.close()
    assert.notEqual(warnings.length, 0)
    for (const { table } of warnings) assert.equal(table, 'server')
  })
})
