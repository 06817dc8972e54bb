import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { openEmpty } from '../../../test/kit/database/bare-database.ts'
import type { Database, Queries } from './db.ts'
import { preparedStatements, remembered } from './prepared.ts'

interface Row {
  readonly id: number
  readonly name: string
}

const looked = remembered<Row>()
const run = (query: Queries, text: string) => sql.raw(text).execute(query)
/** Looks something up with a statement that is prepared. */
const look = async (query: Queries, text: string) =>
  looked(query, text, [], () => ({ compile: () => sql.raw(text).compile(query) }))
/** Reads the same without anything that is kept. */
const read = async (query: Queries, text: string) => (await run(query, text)).rows

const schema = [
  'create table shelf (id integer primary key, name text not null)',
  'create table book (id integer primary key, shelf integer references shelf (id) on delete cascade, name text)',
  'create table diary (id integer primary key generated, entry text not null)',
  'create trigger noted after update of name on shelf begin insert into diary (entry) values (new.name); end',
]
const shelves = 'select id, name from shelf order by id'

async function library(context: TestContext, path?: string): Promise<Database> {
  const db = await openEmpty(context, path)
  await db.transact(async (tx) => {
    for (const statement of schema) await run(tx.query, tx.dialect.ddl(statement))
    await run(tx.query, "insert into shelf values (1, 'a'), (2, 'b')")
  })
  return db
}

async function file(context: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'kept-rows-'))
  context.after(() => rm(directory, { recursive: true }))
  return join(directory, 'library.db')
}

test('a lookup gives the same rows until something changes what it reads', async (context) => {
  const db = await library(context)
  const first = await look(db.query, shelves)
  assert.equal(await look(db.query, shelves), first)
  await db.transact((tx) => run(tx.query, "insert into diary (entry) values ('x')"))
  assert.equal(await look(db.query, shelves), first)
  await db.transact((tx) => run(tx.query, "update shelf set name = 'c' where id = 2"))
  assert.deepEqual(await look(db.query, shelves), [
    { id: 1, name: 'a' },
    { id: 2, name: 'c' },
  ])
})

test('a transaction sees what it has written, and leaves nothing of it behind when it fails', async (context) => {
  const db = await library(context)
  const before = await look(db.query, shelves)
  const failing = db.transact(async (tx) => {
    await run(tx.query, 'delete from shelf where id = 1')
    assert.deepEqual(await look(tx.query, shelves), [{ id: 2, name: 'b' }])
    throw new Error('rolled back')
  })
  // It waits for the end of the transaction.
  const beside = look(db.query, shelves)
  await assert.rejects(failing, { message: 'rolled back' })
  assert.deepEqual(await beside, before)
  assert.deepEqual(await look(db.query, shelves), before)
})

test('what depends on more than tables is read each time', async (context) => {
  const db = await library(context)
  for (const text of ['select id, random() % 9 as name from shelf', 'select id, wolke_now() as name from shelf']) {
    assert.notEqual(await look(db.query, text), await look(db.query, text), text)
  }
  for (const text of ['select 1 as id', 'pragma cache_size', 'select page_count as id from pragma_page_count()']) {
    assert.notEqual(await look(db.query, text), await look(db.query, text), text)
  }
})

test('values are told apart whatever they look like', async (context) => {
  const db = await library(context)
  const found = preparedStatements<Row>()
  const ask = (id: number | string | null, name: number | string | null) =>
    found(db.query, '', { id, name }, (given) => ({
      compile: (query) => sql`select ${given.id} as id, ${given.name} as name from shelf limit 1`.compile(query),
    }))
  const pairs = [
    [1, '1'],
    ['1', 1],
    ['1', '1'],
    ['1 1:1', ''],
    ['', '1 1:1'],
    [null, 'null'],
    ['null', null],
  ] as const
  const kept: unknown[] = []
  for (const [one, other] of pairs) kept.push(await ask(one, other))
  assert.equal(new Set(kept).size, pairs.length)
})

const id = fc.integer({ min: 1, max: 3 })
const change = fc.oneof(
  id.map((at) => `insert into shelf values (${at}, 's') on conflict (id) do update set name = name || 'x'`),
  fc.tuple(id, id).map(([at, of]) => `insert or ignore into book select ${at}, id, 'b' from shelf where id = ${of}`),
  id.map((at) => `update book set name = name || 'y' where id = ${at} returning id`),
  fc.constantFrom('delete from shelf', 'delete from book where id = 1', 'delete from diary'),
)
const transaction = fc.record({
  changes: fc.array(change, { minLength: 1, maxLength: 3 }),
  by: fc.constantFrom('this', 'another'),
  fails: fc.boolean(),
})
const questions = [
  shelves,
  'select count(*) as id from book',
  "select coalesce(max(id), 0) as id, string_agg(entry, ',') as name from diary",
  'select book.id, shelf.name from book join shelf on shelf.id = book.shelf order by 1',
  'select id, name from shelf where exists (select 1 from book where book.shelf = shelf.id) order by id',
]

test('what is kept is what would be read again, whichever process writes', async (context) => {
  const path = await file(context)
  const db = await library(context, path)
  const another = await openEmpty(context, path)
  await fc.assert(
    fc.asyncProperty(fc.array(transaction, { maxLength: 8 }), async (transactions) => {
      for (const { changes, by, fails } of transactions) {
        const work = (by === 'this' ? db : another).transact(async (tx) => {
          for (const text of changes) await run(tx.query, text)
          if (fails) throw new Error('rolled back')
        })
        await Promise.all(questions.map((text) => look(db.query, text)))
        await work.catch((error: Error) => assert.equal(error.message, 'rolled back'))
        for (const text of questions) assert.deepEqual(await look(db.query, text), await read(db.query, text), text)
      }
    }),
    { numRuns: 60 },
  )
})

test('a new table or column is seen at once', async (context) => {
  const db = await library(context)
  assert.deepEqual(Object.keys((await look(db.query, 'select * from shelf'))[0]!), ['id', 'name'])
  await db.transact((tx) => run(tx.query, 'alter table shelf add column place integer'))
  assert.deepEqual(Object.keys((await look(db.query, 'select * from shelf'))[0]!), ['id', 'name', 'place'])
})

test('neither many results nor large ones are all kept', async (context) => {
  const db = await library(context)
  const first = await look(db.query, shelves)
  for (let n = 0; n < 20; n++) await look(db.query, `select id, '${'x'.repeat(300_000)}${n}' as name from shelf`)
  assert.equal(await look(db.query, shelves), first)
  for (let n = 0; n < 300; n++) await look(db.query, `select id, '${'x'.repeat(40_000)}${n}' as name from shelf`)
  assert.notEqual(await look(db.query, shelves), first)
})
