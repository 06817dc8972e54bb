import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { openEmpty } from '../../../test/kit/database/bare-database.ts'
import type { Database, Queries } from './db.ts'
import { openDatabase } from './open.ts'
import type { Watched } from './watching.ts'

const schema = [
  'create table author (id integer primary key, name text not null, fame integer not null)',
  'create table book (id integer primary key, author integer references author (id) on delete cascade, title text)',
  'create table loan (id integer primary key, book integer references book (id) on delete set null, until integer)',
  'create table diary (id integer primary key generated, entry text not null)',
  'create trigger noted after update of fame on author begin insert into diary (entry) values (new.name); end',
  'create index loan_until on loan (until) where until > 0',
]

const run = (query: Queries, text: string) => sql.raw(text).execute(query)

async function library(context: TestContext, path?: string): Promise<Database> {
  const db = await openEmpty(context, path)
  await db.transact(async (tx) => {
    for (const statement of schema) await run(tx.query, tx.dialect.ddl(statement))
  })
  return db
}

/** Different ways to read: columns alone, counts, joins, indexes, what is there at all. */
const questions = [
  'select * from author order by id',
  'select name from author order by name limit 2',
  'select count(*) as n from book',
  'select exists (select 1 from diary) as is_some',
  'select until from loan where until > 2 order by until limit 3',
  'select author.name, title from book join author on author.id = book.author order by 1, 2',
  'select b.id from book as b where exists (select 1 from loan where loan.book = b.id) order by b.id',
  'with recursive n (i) as (select 1 union all select i + 1 from n where i < 3) select i, fame from n, author order by 1, 2',
]

const id = fc.integer({ min: 1, max: 4 })
const change = fc.oneof(
  id.map((at) => `insert into author values (${at}, 'a${at}', 0) on conflict (id) do update set fame = fame + 1`),
  fc
    .tuple(id, id)
    .map(([at, of]) => `insert into book select ${at}, id, 't' from author where id = ${of} on conflict do nothing`),
  fc
    .tuple(id, id)
    .map(
      ([at, until]) =>
        `insert into loan select ${at}, id, ${until} from book where id = 1 on conflict do nothing returning id`,
    ),
  id.map((at) => `delete from author where id = ${at}`),
  id.map((at) => `delete from book where id in (select book from loan where until = ${at})`),
  fc.tuple(id, id).map(([at, until]) => `update loan set until = ${until} where id = ${at} returning id`),
  id.map((at) => `update author set name = name || 'x' where id = ${at}`),
  id.map((at) => `update book set title = 'u' where id = ${at}`),
  fc.constantFrom('delete from diary', 'delete from loan', 'update author set fame = fame where id < 0'),
)
const transaction = fc.record({ changes: fc.array(change, { minLength: 1, maxLength: 3 }), fails: fc.boolean() })

test('what is current is what would be read again, whatever transactions do', async (context) => {
  const db = await library(context)
  const read = async (text: string) => (await run(db.query, text)).rows
  await fc.assert(
    fc.asyncProperty(fc.array(transaction, { maxLength: 12 }), async (transactions) => {
      const kept = new Map<string, Watched<unknown>>()
      for (const { changes, fails } of transactions) {
        for (const text of questions)
          if (!kept.get(text)?.isCurrent()) kept.set(text, await db.watch!(() => read(text)))
        const work = db
          .transact(async (tx) => {
            for (const text of changes) await run(tx.query, text)
            if (fails) throw new Error('rolled back')
          })
          .catch((error: Error) => assert.equal(error.message, 'rolled back'))
        // Some are asked while it runs.
        const beside = await db.watch!(() => read(questions[0]!))
        await work
        kept.set(questions[0]!, beside)
        for (const [text, { value, isCurrent }] of kept)
          if (isCurrent()) assert.deepEqual(value, await read(text), text)
      }
    }),
    { numRuns: 150 },
  )
})

test('what concerns other columns, or no row, leaves an answer as it was', async (context) => {
  const db = await library(context)
  const change = (text: string) => db.transact((tx) => run(tx.query, text))
  await change("insert into author values (1, 'a', 0)")
  const names = await db.watch!(() => run(db.query, 'select name from author where id = 1'))
  await change("insert into diary (entry) values ('x')")
  await change('update author set fame = 7')
  await change("update author set name = 'b' where id = 2")
  assert.equal(names.isCurrent(), true)
  await change("update author set name = 'b' where id = 1")
  assert.equal(names.isCurrent(), false)
})

test('another process changes what was read as well, and a new table everything', async (context) => {
  const directory = await mkdtemp(join(tmpdir(), 'watching-'))
  context.after(() => rm(directory, { recursive: true }))
  const path = join(directory, 'library.db')
  const db = await library(context, path)
  const other = await openEmpty(context, path)
  const ask = () => db.watch!(() => run(db.query, 'select * from author'))
  const before = await ask()
  assert.equal(before.isCurrent(), true)
  await other.transact((tx) => run(tx.query, "insert into author values (1, 'a', 0)"))
  assert.equal(before.isCurrent(), false)
  const after = await ask()
  await db.transact((tx) => run(tx.query, 'create table more (id integer primary key) strict'))
  assert.equal(after.isCurrent(), false)
})

test('nobody watches a database whose time is that of the machine', async (context) => {
  const db = await openDatabase({ engine: 'sqlite', path: ':memory:' }, { clock: { now: Date.now } })
  context.after(() => db.close())
  assert.equal(db.watch, undefined)
})
