import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { type BareDatabase, forEachBareDatabase, gate, run, until } from '../../../test/kit/database/bare-database.ts'
import { onBehalfOf, projectServed } from '../process/behalf.ts'
import { limitsOf } from '../resource/limits.ts'
import type { ProjectId } from '../scope.ts'
import { Connection } from './connection.ts'
import { type Database, OutcomeUnknown, type Queries, type Transaction } from './db.ts'
import { databaseFailure } from './dialect.ts'
import { openDatabase } from './open.ts'
import { insertRowsAlong, lockAlong, prepared } from './prepared.ts'
import { acrossProjects } from './scoped.ts'
import { Silence } from './silence.ts'

forEachBareDatabase(
  'what travels together',
  (openBare) => {
    async function open() {
      const bare = await openBare()
      await run(bare.db, 'create table entry (id bigint primary key, name text)')
      return bare
    }

    /** A connection of its own, as the pool would make it. */
    async function connect({ url, later }: BareDatabase, options = { prepares: true }) {
      const config = { connectionString: (url as { url: string }).url, pipeline: true } as pg.ClientConfig
      const client = new pg.Client(config).on('error', () => undefined)
      await client.connect()
      later(() => client.end())
      const silence = new Silence({ answers: async () => true, onSilence: () => assert.fail('the server answers') })
      later(async () => silence.close())
      const more = { failed: () => undefined, changes: { count: 0 }, silence, server: 'here' }
      return new Connection(client as pg.PoolClient, { ...options, ...more })
    }

    /** A table of names, and a transaction that takes one. */
    async function openClaims() {
      const bare = await open()
      await run(bare.db, 'create table taken (name text primary key)')
      const claim = (db: Database, name: string) =>
        db.transact(async (tx) => {
          const refusal = { claims: name, explain: () => new Error(`${name} is taken`) }
          return insertRowsAlong(tx, 'taken' as never, [{ name }] as never[], refusal)
        })
      return { ...bare, claim }
    }

    const statement = (text: string, ...values: unknown[]) => ({ text, values })
    const insert = (id: number) => statement('insert into entry values ($1, $2)', id, `name ${id}`)
    const all = (db: { query: Queries }) =>
      acrossProjects(db.query)
        .selectFrom('entry' as never)
        .selectAll()
        .execute()

    test('nothing is begun after a statement that fails, be it BEGIN itself', async () => {
      const bare = await open()
      const connection = await connect(bare)
      const { results, error } = await connection.send([insert(1), statement('begin nonsense'), insert(2)])
      assert.equal(results.length, 1)
      assert.match(String(error), /syntax error/)
      assert.deepEqual(await all(bare.db), [], 'what is not told to commit by itself counts as one')
      assert.equal(connection.isBroken, false)
      assert.equal((await connection.send([insert(3)])).error, undefined)
    })

    test('units that are under way together are done in order, and one that fails spares the others', async () => {
      const connection = await connect(await open())
      const sent = [insert(1), insert(1), insert(2), statement('select count(*) as count from entry')]
      const outcomes = await Promise.all(sent.map((one) => connection.send([one])))
      assert.deepEqual(
        outcomes.map(({ error }) => databaseFailure(error)?.kind),
        [undefined, 'unique', undefined, undefined],
      )
      assert.deepEqual(outcomes[3]?.results[0]?.rows, [{ count: 2 }])
      assert.equal(outcomes[0]?.results[0]?.numAffectedRows, 1n)
    })

    test('what comes again is prepared, only so much of it, and answers the same', async () => {
      const connection = await connect(await open())
      for (let round = 0; round < 3; round++) {
        for (let i = 0; i < 150; i++) {
          const { results } = await connection.send([statement(`select $1::int as n, ${i} as i, null as no`, round)])
          assert.deepEqual(results[0]?.rows, [{ n: round, i, no: null }])
        }
      }
      const count = statement('select count(*) as count from pg_prepared_statements')
      const { results } = await connection.send([count])
      const [{ count: kept }] = results[0]!.rows as [{ count: number }]
      assert.ok(kept > 50 && kept <= 100, `${kept} statements`)
    })

    test('one that fails when it is prepared is prepared anew', async () => {
      const bare = await open()
      const connection = await connect(bare)
      const select = statement('select extra from entry where id = $1', 1)
      for (let i = 0; i < 3; i++)
        assert.match(String((await connection.send([select])).error), /"extra" does not exist/)
      await run(bare.db, 'alter table entry add extra text')
      for (let i = 0; i < 3; i++) assert.equal((await connection.send([select])).error, undefined)
    })

    test('nothing is prepared where that is turned off', async () => {
      const connection = await connect(await open(), { prepares: false })
      const select = statement('select name from pg_prepared_statements where $1::int = 1', 1)
      for (let i = 0; i < 4; i++) assert.deepEqual((await connection.send([select])).results[0]?.rows, [])
    })

    test('a change of the schema under prepared statements is not noticed by anybody', async () => {
      const bare = await open()
      const lookup = prepared((query: Queries, id: number) =>
        acrossProjects(query)
          .selectFrom('entry' as never)
          .selectAll()
          .where('id' as never, '=', id as never),
      )
      await run(bare.db, "insert into entry values (1, 'one')")
      const look = () => lookup(bare.db.query, 1)
      const lookInside = () => bare.db.transact(async (tx) => lookup(tx.query, 1))
      for (let i = 0; i < 4; i++) await Promise.all([look(), lookInside()])
      await run(await bare.another(), "alter table entry add extra text default 'x'")
      for (const ask of [look, lookInside, look, lookInside]) {
        assert.deepEqual(await ask(), [{ id: 1, name: 'one', extra: 'x' }])
      }
    })

    test('rows that travel along and are refused fail their transaction, whose outcome is known', async () => {
      const bare = await open()
      const entry = 'entry' as never
      const write = (...ids: number[]) =>
        bare.db.transact(async (tx) => {
          for (const id of ids) await insertRowsAlong(tx, entry, [{ id, name: `name ${id}` }] as never[])
          return ids.length
        })
      assert.equal(await write(1, 2), 2)
      const error = await write(3, 2).catch((reason: unknown) => reason)
      assert.equal(databaseFailure(error)?.kind, 'unique')
      assert.ok(!(error instanceof OutcomeUnknown))
      assert.equal(await write(4), 1)
      const rows = (await all(bare.db)) as { id: number }[]
      assert.deepEqual(rows.map(({ id }) => id).sort(), [1, 2, 4])
    })

    test('what only inserts shares commits, and who is refused is refused alone', async () => {
      const { db, claim } = await openClaims()
      const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `n${from + i}`)
      await Promise.all(numbered(0, 30).map((name) => claim(db, name)))
      // Rows of one transaction carry its number.
      const { rows } = await sql<{ count: number }>`select count(distinct xmin::text) from taken`.execute(db.query)
      assert.ok(rows[0]!.count < 30)
      const outcomes = await Promise.allSettled(numbered(20, 40).map((name) => claim(db, name)))
      const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []))
      assert.deepEqual(
        refused,
        numbered(20, 30).map((name) => `Error: ${name} is taken`),
      )
      assert.equal(
        (
          await acrossProjects(db.query)
            .selectFrom('taken' as never)
            .selectAll()
            .execute()
        ).length,
        40,
      )
    })

    test('a write beside few of its Project does not wait for one of them that waits', async () => {
      const { db, claim, another } = await openClaims()
      const rival = await another()
      const [taken, free] = [gate(), gate()]
      const held = rival.transact(async (tx) => {
        await sql`insert into taken values ('wanted')`.execute(tx.query)
        taken.open()
        await free.pass()
      })
      await taken.pass()
      const waiting = async () => {
        const { rows } = await sql<{ count: number }>`
          select count(*) as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(
          db.query,
        )
        return rows[0]!.count
      }
      const wanted = claim(db, 'wanted')
      await until(async () => (await waiting()) === 1)
      await claim(db, 'another')
      assert.equal(await waiting(), 1)
      free.open()
      await held
      await assert.rejects(wanted, /wanted is taken/)
    })

    test('those that insert alike share their inserts, each with its own rows', async () => {
      const { db, claim } = await openClaims()
      const counting = [
        'create table counted (number bigint)',
        `create function count_one() returns trigger language plpgsql as $$
          begin insert into counted values (1); return null; end $$`,
        'create trigger each_insert after insert on entry for each statement execute function count_one()',
      ]
      for (const statement of counting) await run(db, statement)
      const entry = 'entry' as never
      await run(db, 'alter table entry add size bigint, add left_out text')
      const entryOf = (id: number) => {
        const name = id % 4 === 0 ? null : `"name", {${id}} \\ ü 🜁`
        return { id, name, size: id % 5 === 0 ? null : -id * 2 ** 33 - 1, left_out: null }
      }
      const add = (id: number) =>
        db.transact(async (tx) => {
          await insertRowsAlong(tx, entry, [entryOf(id), entryOf(id + 100)] as never[])
          if (id % 10 === 0) await insertRowsAlong(tx, 'taken' as never, [{ name: `taken ${id}` }] as never[])
        })
      const ids = Array.from({ length: 40 }, (_, i) => i + 1)
      await Promise.all([...ids.map(add), claim(db, 'other')])
      const found = (await all(db)) as ReturnType<typeof entryOf>[]
      assert.deepEqual(
        found.toSorted((a, b) => a.id - b.id),
        [...ids, ...ids.map((id) => id + 100)].map(entryOf),
      )
      const { rows } = await sql<{ name: string }>`select name from taken order by name`.execute(db.query)
      assert.deepEqual(
        rows.map(({ name }) => name),
        ['other', 'taken 10', 'taken 20', 'taken 30', 'taken 40'],
      )
      const counted = await sql<{ count: number }>`select count(*) from counted`.execute(db.query)
      assert.ok(counted.rows[0]!.count > 0 && counted.rows[0]!.count < 30, `${counted.rows[0]!.count} inserts`)
    })

    test('fresh ids are greater than those that others drew since some were expected', async () => {
      const { db } = await open()
      const [expected, drawn] = [gate(), gate()]
      const fresh = db.transact(async (tx) => {
        tx.expectIds()
        expected.open()
        await drawn.pass()
        return (await tx.drawIds(1, { fresh: true }))[0]!
      })
      await expected.pass()
      const [other] = await db.transact((tx) => tx.drawIds(1))
      drawn.open()
      assert.ok((await fresh) > other!)
    })

    test('a lock that travels along is held before what comes with it, and holds up no group', async () => {
      const { db, another } = await open()
      const rival = await another()
      const lock = (tx: Transaction) => lockAlong(tx.query, tx.dialect.lockKeys(['once tested'])!)
      const add = async (tx: Transaction, id: number) =>
        insertRowsAlong(tx, 'entry' as never, [{ id, name: '' }] as never[])
      const [held, free] = [gate(), gate()]
      const first = rival.transact(async (tx) => {
        await lock(tx)
        await sql`insert into entry values (1, 'one')`.execute(tx.query)
        held.open()
        await free.pass()
      })
      await held.pass()
      const reading = db.transact(async (tx) => {
        await lock(tx)
        return (await all(tx)) as { id: number }[]
      })
      const writing = db.transact(async (tx) => {
        await lock(tx)
        await add(tx, 2)
      })
      await db.transact((tx) => add(tx, 3))
      const waiting = sql<{ count: number }>`
        select count(*) as count from pg_stat_activity where wait_event = 'advisory' and datname = current_database()`
      await until(async () => (await waiting.execute(db.query)).rows[0]?.count === 2)
      free.open()
      await Promise.all([first, writing])
      assert.ok((await reading).some(({ id }) => id === 1))
      assert.equal((await all(db)).length, 3)
    })

    test('groups of two processes that claim the same in other orders do not block each other', async () => {
      const { db, claim, another } = await openClaims()
      const [one, other, third] = [await another(), await another(), await another()]
      const names = ['a', 'b', 'c', 'd', 'e']
      const [taken, free] = [gate(), gate()]
      const held = third.transact(async (tx) => {
        await sql`insert into taken values ('c')`.execute(tx.query)
        taken.open()
        await free.pass()
        throw new Error('given back')
      })
      await taken.pass()
      const claims = Promise.allSettled([
        ...names.map((name) => claim(one, name)),
        ...names.toReversed().map((name) => claim(other, name)),
      ])
      const waiting = sql<{ count: number }>`
        select count(*) as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      await until(async () => (await waiting.execute(db.query)).rows[0]?.count === 2)
      free.open()
      await assert.rejects(held, /given back/)
      assert.equal((await claims).filter(({ status }) => status === 'fulfilled').length, names.length)
      // The server counts what a connection met when that ends, at the latest.
      await Promise.all([one.close(), other.close()])
      const deadlocks = sql<{ count: number }>`
        select deadlocks as count from pg_stat_database where datname = current_database()`
      assert.equal((await deadlocks.execute(db.query)).rows[0]?.count, 0)
    })
  },
  ['postgres'],
)

forEachBareDatabase(
  'shares of the connections',
  (openBare) => {
    const [greedy, other] = [1, 2] as ProjectId[]

    test('a Project whose transactions all wait leaves connections to others and to the installation', async () => {
      const bare = await openBare()
      const db = await openDatabase(bare.url, {
        clock: bare.clock,
        postgres: { connections: 6, connectionsPerProject: 3 },
      })
      bare.later(() => db.close())
      const hold = gate()
      let inside = 0
      const flood = Array.from({ length: 40 }, (_, i) =>
        onBehalfOf(greedy!, () =>
          db.transact(async (tx) => {
            await sql`select 1`.execute(tx.query)
            inside++
            await hold.pass()
            return i
          }),
        ),
      )
      await until(() => inside === 3)
      const ask = () => db.transact(async (tx) => (await sql<{ one: number }>`select 1 as one`.execute(tx.query)).rows)
      for (let i = 0; i < 5; i++) {
        assert.deepEqual(await onBehalfOf(other!, ask), [{ one: 1 }])
        assert.deepEqual(await ask(), [{ one: 1 }])
        // Lookups take no turn, not even those of the Project itself.
        assert.deepEqual(await onBehalfOf(greedy!, () => limitsOf(db.query, { projectId: greedy! })), new Map())
      }
      assert.equal(inside, 3)
      hold.open()
      assert.deepEqual(await Promise.all(flood), [...Array(40).keys()])
    })

    test('what hears of a commit does not count to the Project that committed', async () => {
      const { db } = await openBare()
      const heard: unknown[] = []
      db.listen('actions', () => heard.push(projectServed()))
      await onBehalfOf(greedy!, () => db.transact(async (tx) => tx.signal('actions')))
      assert.deepEqual(heard, [undefined])
    })
  },
  ['postgres'],
)
