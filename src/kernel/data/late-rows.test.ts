/** Rows that are written late are those that would have been written at once. */
import assert from 'node:assert/strict'
import { StatementSync } from 'node:sqlite'
import { test } from 'node:test'
import { sql } from 'kysely'
import { forEachBareDatabase, type OpenBare, run } from '../../../test/kit/database/bare-database.ts'
import { ids, insert, sqlIn, upTo, withTable } from '../../../test/kit/database/entries.ts'
import type { Transaction } from './db.ts'
import { databaseFailure } from './dialect.ts'
import { insertRowsLate } from './prepared.ts'

const late = async (tx: Transaction, ...rows: readonly number[]) =>
  insertRowsLate(tx, 'entry' as never, rows.map((id) => ({ id, project_id: 1, name: `name ${id}` })) as never[])

async function withNotes(openBare: OpenBare) {
  const bare = await withTable(await openBare())
  await run(bare.db, 'create table note (id integer primary key, entry_id integer not null references entry (id))')
  return bare
}

forEachBareDatabase('rows that are written late', (openBare, engine) => {
  test('are there for the statements of their transaction', async () => {
    const { db } = await withNotes(openBare)
    await db.transact(async (tx) => {
      await late(tx, 1, 2)
      await late(tx, 3)
      assert.deepEqual(await sqlIn(tx, 'select id from entry order by id'), [{ id: 1 }, { id: 2 }, { id: 3 }])
      await late(tx, 4)
      await sqlIn(tx, 'insert into note (id, entry_id) values (1, 4)')
      await late(tx, 5)
      await sqlIn(tx, "update entry set name = 'other' where id = 5")
      await late(tx, 6)
      await sqlIn(tx, 'with gone as (select 6 as id) delete from entry where id in (select id from gone)')
      await late(tx, 7)
    })
    assert.deepEqual(await ids(db), [1, 2, 3, 4, 5, 7])
    assert.deepEqual(await run(db, 'select name from entry where id = 5'), [{ name: 'other' }])
  })

  test('are kept of those that succeed together, in their order, and of no others', async () => {
    const { db } = await withNotes(openBare)
    const outcomes = await Promise.allSettled(
      upTo(90).map((id) =>
        db.transact(async (tx) => {
          await late(tx, id, id + 1_000)
          if (id % 5 === 0) await insert(tx, id + 2_000)
          if (id % 7 === 0) await sqlIn(tx, 'select count(*) from entry')
          if (id % 9 === 0) throw new Error(`${id} fails`)
        }),
      ),
    )
    const kept = upTo(90).filter((id) => id % 9 !== 0)
    assert.deepEqual(
      outcomes.flatMap(({ status }, at) => (status === 'fulfilled' ? [at + 1] : [])),
      kept,
    )
    const inserted = kept.filter((id) => id % 5 === 0).map((id) => id + 2_000)
    assert.deepEqual(await ids(db), [...kept, ...kept.map((id) => id + 1_000), ...inserted])
  })

  test('fail their own transaction alone when they are refused, whoever has them written', async () => {
    const { db } = await withNotes(openBare)
    await db.transact((tx) => insert(tx, 7))
    for (const looks of [false, true]) {
      const first = looks ? 100 : 0
      const outcomes = await Promise.allSettled(
        upTo(20).map((id) =>
          db.transact(async (tx) => {
            if (looks && id === 12) await sqlIn(tx, 'select count(*) from entry')
            await late(tx, id % 10 === 7 ? 7 : first + id)
          }),
        ),
      )
      const refused = outcomes.flatMap((outcome, at) =>
        outcome.status === 'rejected' ? [[at + 1, outcome.reason]] : [],
      )
      assert.deepEqual(
        refused.map(([id, error]) => [id, databaseFailure(error)?.kind]),
        [7, 17].map((id) => [id, 'unique']),
      )
    }
    const expected = upTo(20).filter((id) => id !== 17)
    assert.deepEqual(await ids(db), [...expected, ...expected.filter((id) => id !== 7).map((id) => id + 100)])
  })

  test('leave nothing of a transaction whose failure nobody else shares', async () => {
    const { db } = await withNotes(openBare)
    const failing = db.transact(async (tx) => {
      await late(tx, 1)
      throw new Error('no')
    })
    await Promise.all([db.transact((tx) => late(tx, 2)), assert.rejects(failing), db.transact((tx) => late(tx, 1))])
    assert.deepEqual(await ids(db), [1, 2])
  })

  test('are not taken once their transaction has ended', async () => {
    const { db } = await withNotes(openBare)
    let ended: Transaction | undefined
    await db.transact(async (tx) => {
      ended = tx
      await late(tx, 1)
    })
    await assert.rejects(late(ended!, 2), /the transaction has ended/)
    assert.deepEqual(await ids(db), [1])
  })

  test('are referred to by columns that are named after their tables', async () => {
    const { db } = await openBare()
    const tables = ['action', 'action_serial', 'action_unfiled', 'action_history', 'token_action', 'label', 'audit']
    const references =
      engine === 'sqlite'
        ? sql<{ column: string; parent: string }>`
            select reference."from" as column, reference."table" as parent
            from sqlite_schema, pragma_foreign_key_list(sqlite_schema.name) as reference`
        : sql<{ column: string; parent: string }>`
            select attname as column, confrelid::regclass::text as parent from pg_constraint
            join pg_attribute on attrelid = conrelid and attnum = any(conkey) where contype = 'f'`
    const { rows } = await references.execute(db.query)
    assert.ok(rows.length > 20)
    for (const { column, parent } of rows) if (tables.includes(parent)) assert.equal(column, `${parent}_id`)
  })

  test('are seen by no insert through a trigger', async () => {
    const { db } = await openBare()
    const triggers =
      engine === 'sqlite'
        ? sql<{ on: string }>`select sql as "on" from sqlite_schema where type = 'trigger'`
        : sql<{ on: string }>`select event_manipulation as "on" from information_schema.triggers`
    const { rows } = await triggers.execute(db.query)
    assert.ok(rows.length > 0)
    for (const { on } of rows) assert.doesNotMatch(on, /^create trigger \w+ (before|after) insert|^INSERT/)
  })
})

forEachBareDatabase(
  'rows of a group',
  (openBare) => {
    test('are written by few statements', async (t) => {
      const { db } = await withNotes(openBare)
      const writing = t.mock.method(StatementSync.prototype, 'run')
      // A group ends after some milliseconds, in which a busy machine does little: here they do not pass.
      const standing = performance.now()
      t.mock.method(performance, 'now', () => standing)
      // Some insert one row and some two.
      await Promise.all(upTo(40).map((id) => db.transact((tx) => late(tx, ...(id % 2 ? [id] : [id, id + 100])))))
      const texts = writing.mock.calls.map((call) => (call.this as StatementSync).sourceSQL)
      writing.mock.restore()
      const inserts = texts.filter((text) => text.startsWith('insert into "entry"'))
      assert.ok(inserts.length > 0 && inserts.length <= 4, `${inserts.length} inserts`)
      assert.deepEqual(await ids(db), [...upTo(40), ...upTo(20).map((id) => 2 * id + 100)])
    })
  },
  ['sqlite'],
)
