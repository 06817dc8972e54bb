import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { forEachBareDatabase, run } from '../../../test/kit/database/bare-database.ts'
import { closeAdmin, createDatabase, postgresUrl } from '../../../test/kit/database/postgres.ts'
import { onPostgres } from '../../../test/kit/engines.ts'
import { testClock } from '../../../test/kit/harness.ts'
import { migrations } from '../../migrations/index.ts'
import { result } from '../../migrations/result.ts'
import type { Database } from './db.ts'
import { type Migration, migrate, resultOn, schemaState } from './migrate.ts'
import { openDatabase } from './open.ts'

const more: readonly Migration[] = [
  ...migrations,
  { id: '9001-first', statements: ['create table first (n integer)', 'insert into first values (1)'] },
  { id: '9002-second', statements: ['alter table first add column m integer', 'update first set m = n + 1'] },
]

forEachBareDatabase('migrations', (open) => {
  test('each is applied once, in order, on top of what is there', async () => {
    const { db, scope } = await open()
    for (let i = 0; i < 3; i++) await migrate(db, more)
    assert.deepEqual(await run(db, 'select * from first'), [{ n: 1, m: 2 }])
    const journal = await run<{ id: string }>(db, 'select id from migration order by position')
    assert.deepEqual(
      journal.map(({ id }) => id),
      more.map(({ id }) => id),
    )
    assert.deepEqual(await run(db, 'select id from project'), [{ id: scope.projectId }])
  })

  test('a database of a newer version is refused, by the name of what it has', async () => {
    const { db } = await open()
    await migrate(db, more)
    const message = `the database has the schema 9002-second with the change '9001-first', which this version of Wolke, of the schema ${migrations.at(-1)!.id}, does not know; use a newer version, or restore a backup from before`
    await assert.rejects(migrate(db, migrations), { message })
    await assert.rejects(schemaState(db, migrations), { message })
    // One that went another way is none that anybody works on beside.
    const [first, second] = more.slice(-2) as [Migration, Migration]
    await assert.rejects(migrate(db, [...migrations, { ...second, beside: 'expands' }, first]))
  })

  test('older programs work on beside what only adds, and those that know what it needs beside what takes away', async () => {
    const { db } = await open()
    const added: Migration = { ...more.at(-2)!, beside: 'expands' }
    const further: Migration = { ...more.at(-1)!, beside: 'expands' }
    const takes: Migration = { id: '9003-third', statements: ['drop table first'], beside: { contracts: added.id } }
    const all = [...migrations, added, further, takes]
    const isUsable = (known: number) =>
      schemaState(db, all.slice(0, known)).then(
        (state) => state === 'current',
        () => false,
      )
    const count = migrations.length
    await migrate(db, all.slice(0, count + 2))
    assert.deepEqual(await Promise.all([count, count + 1, count + 2].map(isUsable)), [true, true, true])
    await migrate(db, all)
    assert.deepEqual(await Promise.all([count, count + 1, count + 2].map(isUsable)), [false, true, true])
    // Starting leaves alone what is newer.
    await migrate(db, all.slice(0, count + 1))
    assert.equal((await run(db, 'select id from migration')).length, all.length)
  })

  test('what takes away has to name what programs need to know', async () => {
    const { db } = await open()
    const takes: Migration = { id: '9003-third', statements: [], beside: { contracts: '9001-first' } }
    await assert.rejects(migrate(db, [...migrations, takes]), {
      message: "the migration 9003-third contracts after '9001-first', which is not before it",
    })
  })

  test('one that fails between its statements has not begun, and is applied wholly the next time', async () => {
    const { db } = await open()
    const [first, second] = more.slice(-2) as [Migration, Migration]
    for (let done = 0; done <= second.statements.length; done++) {
      const broken = { id: second.id, statements: [...second.statements.slice(0, done), 'crash'] }
      await assert.rejects(migrate(db, [...migrations, first, broken]))
      assert.deepEqual(await run(db, 'select * from first'), [{ n: 1 }])
      assert.deepEqual(await run(db, `select * from migration where id = '${second.id}'`), [])
    }
    await migrate(db, more)
    assert.deepEqual(await run(db, 'select * from first'), [{ n: 1, m: 2 }])
  })
})

const inMemory = () => openDatabase({ engine: 'sqlite', path: ':memory:' }, { clock: testClock() })

/** All that a database says of its schema and of how it came about. */
async function shapeOf(db: Database) {
  const schema = await run(db, 'select type, name, tbl_name, sql from sqlite_master order by type, name')
  const rows = await run(db, 'select id, position from migration order by position')
  return { schema, rows }
}

test('a new SQLite database that is made at once is the one that the migrations make', async () => {
  const [made, migrated] = [await inMemory(), await inMemory()]
  try {
    await migrate(made, migrations, async () => result)
    await migrate(migrated, migrations)
    assert.deepEqual(await shapeOf(made), await shapeOf(migrated))
    // It goes on like any other.
    await migrate(made, more, () => assert.fail('a database that is not new is migrated'))
    assert.deepEqual(await run(made, 'select * from first'), [{ n: 1, m: 2 }])
  } finally {
    for (const db of [made, migrated]) await db.close()
  }
})

test('migrations that write rows are no result that a new database could be made of', async () => {
  const db = await inMemory()
  try {
    await assert.rejects(resultOn(db, more), { message: /^migrations write rows of first, / })
  } finally {
    await db.close()
  }
})

test('processes that migrate an empty PostgreSQL at the same time apply each change once', onPostgres, async () => {
  const { url, drop } = await createDatabase(await postgresUrl())
  const processes: Database[] = []
  for (let i = 0; i < 4; i++) {
    processes.push(
      await openDatabase({ engine: 'postgres', url }, { clock: testClock(), postgres: { connections: 1 } }),
    )
  }
  try {
    await Promise.all(processes.map((db) => migrate(db, more)))
    assert.deepEqual(await run(processes[0]!, 'select * from first'), [{ n: 1, m: 2 }])
    assert.equal((await run(processes[1]!, 'select id from migration')).length, more.length)
  } finally {
    for (const db of processes) await db.close()
    await drop()
  }
})

after(closeAdmin)
