import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { type BareDatabase, forEachBareDatabase, gate, run, until } from '../../../test/kit/database/bare-database.ts'
import { ids, insert, upTo, withTable } from '../../../test/kit/database/entries.ts'
import type { Transaction } from './db.ts'
import { databaseFailure } from './dialect.ts'

/** Reads what another client sees at that moment. */
async function observer({ url, another, later }: BareDatabase): Promise<() => Promise<number[]>> {
  if (url.engine === 'postgres') {
    const db = await another()
    return () => ids(db)
  }
  // Reads of our own that share a turn of the event loop also share what they see.
  const database = new DatabaseSync(url.path)
  later(async () => database.close())
  return async () =>
    database
      .prepare('select id from entry')
      .all()
      .map((row) => row.id as number)
}

forEachBareDatabase('transactions', (openBare, engineName) => {
  const open = async (file = false) => withTable(await openBare({ file }))

  test('of those that run at the same time a failing one leaves nothing, and the others are durable', async () => {
    const bare = await open(true)
    const { db } = bare
    const observe = await observer(bare)
    const outcomes = await Promise.allSettled(
      upTo(100).map(async (i) => {
        const result = await db.transact(async (tx) => {
          await insert(tx, i)
          if (i % 10 === 0) throw new Error(`no ${i}`)
          return i
        })
        // Somebody else sees it by the time that its caller hears of it.
        assert.ok((await observe()).includes(result))
        return result
      }),
    )
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.message] : []))
    assert.deepEqual(
      refused,
      upTo(10).map((i) => `no ${i * 10}`),
    )
    assert.deepEqual(
      await ids(db),
      upTo(100).filter((i) => i % 10 !== 0),
    )
  })

  test('a read never sees an open transaction', async () => {
    const { db } = await open()
    const hold = gate()
    const writing = db.transact(async (tx) => {
      await insert(tx, 1)
      await hold.pass()
      await insert(tx, 2)
      throw new Error('roll back')
    })
    await until(() => hold.arrived === 1)
    const reads = upTo(5).map(() => ids(db))
    hold.open()
    await assert.rejects(writing, /roll back/)
    for (const read of reads) assert.deepEqual(await read, [])
    assert.deepEqual(await ids(db), [])
  })

  test('the outer handle cannot be used inside a transaction', async () => {
    const { db } = await open()
    await assert.rejects(
      db.transact(async () => db.query),
      /use the transaction handle/,
    )
    await assert.rejects(
      db.transact(() => db.transact(async () => 1)),
      /use the transaction handle/,
    )
    assert.equal(await db.transact(async () => 'still well'), 'still well')
  })

  test('work that goes on after its transaction has ended writes nothing', async () => {
    const { db } = await open()
    const late = gate()
    let handle: Transaction | undefined
    let straggler: Promise<unknown> | undefined
    const failed = db.transact(async (tx) => {
      handle = tx
      straggler = late.pass().then(() => insert(tx, 1))
      throw new Error('no')
    })
    await assert.rejects(failed, /no/)
    const hold = gate()
    const next = db.transact(async (tx) => {
      await insert(tx, 2)
      await hold.pass()
    })
    await until(() => hold.arrived === 1)
    late.open()
    await assert.rejects(straggler!)
    hold.open()
    await next
    await assert.rejects(insert(handle!, 3))
    assert.deepEqual(await ids(db), [2])
  })

  test('what follows a commit happens after it, in order, and not at all after a roll back', async () => {
    const { db } = await open()
    const heard: string[] = []
    db.listen('actions', () => heard.push('signal'))
    await assert.rejects(
      db.transact(async (tx) => {
        tx.afterCommit(() => heard.push('never'))
        tx.signal('actions')
        throw new Error('no')
      }),
    )
    await db.transact(async (tx) => {
      tx.afterCommit(() => heard.push('first'))
      tx.signal('actions')
      await insert(tx, 1)
      assert.deepEqual(heard, [])
    })
    assert.deepEqual(heard, ['first', 'signal'])
  })

  test('what follows a commit and fails is told to its own caller only', async () => {
    const { db } = await open()
    const outcomes = await Promise.allSettled(
      upTo(3).map((i) =>
        db.transact(async (tx) => {
          await insert(tx, i)
          tx.afterCommit(() => {
            if (i === 2) throw new Error('bug')
          })
        }),
      ),
    )
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.deepEqual(await ids(db), [1, 2, 3])
    await db.transact((tx) => insert(tx, 4))
  })

  test('a unique violation names its columns', async () => {
    const { db } = await open()
    await db.transact((tx) => insert(tx, 1, 'same'))
    const error = await db.transact((tx) => insert(tx, 2, 'same')).catch((reason: unknown) => reason)
    const failure = databaseFailure(error)
    assert.ok(failure?.kind === 'unique')
    assert.match(failure.constraint, /entry.*project_id.*name/)
    const twice = await db.transact((tx) => insert(tx, 1)).catch((reason: unknown) => reason)
    assert.equal(databaseFailure(twice)?.kind, 'unique')
  })

  test('a foreign key that is violated is known as such', async () => {
    const { db } = await open()
    const statement = `insert into token (id, project_id, name, hash, tail, read_only, created)
      values (1, 999, 'n', 'h', 't', 0, 'now')`
    const error = await run(db, statement).catch((reason: unknown) => reason)
    assert.equal(databaseFailure(error)?.kind, 'foreign_key')
  })

  test('a transaction that goes on after a failed statement never claims to have committed when it has not', async () => {
    const { db } = await open()
    await db.transact((tx) => insert(tx, 1))
    const outcome = await db
      .transact(async (tx) => {
        await insert(tx, 2)
        await insert(tx, 1).catch(() => undefined)
      })
      .then(
        () => 'committed',
        () => 'refused',
      )
    assert.deepEqual(await ids(db), outcome === 'committed' ? [1, 2] : [1])
    assert.equal(outcome, engineName === 'sqlite' ? 'committed' : 'refused')
  })

  test('ids are unique and increasing, above 32 bits, whoever draws them', async () => {
    const { db, another } = await open()
    const handles = engineName === 'sqlite' ? [db, db] : [db, await another()]
    const drawn = await Promise.all(upTo(40).map((i) => handles[i % 2]!.transact((tx) => tx.drawIds(1 + (i % 3)))))
    for (const batch of drawn)
      assert.deepEqual(
        batch,
        [...new Set(batch)].sort((a, b) => a - b),
      )
    const all = drawn.flat()
    assert.equal(new Set(all).size, all.length)
    assert.ok(Math.min(...all) > 2 ** 32)
    const [later] = await db.transact((tx) => tx.drawIds(1))
    assert.ok(later! > Math.max(...all))
    assert.deepEqual(await db.transact((tx) => tx.drawIds(0)), [])
    const expected = await db.transact(async (tx) => {
      tx.expectIds()
      return [...(await tx.drawIds(2)), ...(await tx.drawIds(9))]
    })
    const since = [later!, ...expected]
    assert.deepEqual(
      since,
      [...new Set(since)].sort((a, b) => a - b),
    )
    assert.equal(since.length, 12)
  })
})
