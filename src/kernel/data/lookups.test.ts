import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RawBuilder, sql } from 'kysely'
import { forEachBareDatabase, run } from '../../../test/kit/database/bare-database.ts'
import { onBehalfOf } from '../process/behalf.ts'
import type { ProjectId } from '../scope.ts'
import type { Queries } from './db.ts'
import { prepared } from './prepared.ts'

forEachBareDatabase(
  'look-ups on PostgreSQL',
  (openBare) => {
    const names = ['plain', 'a "quoted", one', 'back\\slash', '{brace}', 'null', '', 'línea\n']

    /** A database whose table has an entry for each name. */
    async function open() {
      const { db } = await openBare()
      await run(db, 'create table entry (id bigint primary key, name text)')
      for (const [id, name] of names.entries()) await run(db, `insert into entry values (${id}, '${name}')`)
      return db
    }

    function lookup<Row>(build: (value: string | number | null) => RawBuilder<Row>) {
      return prepared((query: Queries, value: string | number | null) => ({
        compile: () => build(value).compile(query),
      }))
    }

    test('lookups of one turn are one unit, in which one that fails spares the others', async () => {
      const db = await open()
      const divide = lookup(
        (by) => sql<{ result: number; unit: number }>`select 12 / ${by}::int as result, xid as unit
          from cast(pg_current_xact_id() as text) as xid`,
      )
      for (let round = 0; round < 3; round++) {
        const settled = await Promise.allSettled([1, 2, 0, 3, 0, 4].map((by) => divide(db.query, by)))
        const results = settled.map((one) => (one.status === 'fulfilled' ? one.value[0]!.result : 'failed'))
        assert.deepEqual(results, [12, 6, 'failed', 4, 'failed', 3])
      }
      const together = await Promise.all([1, 2, 3].map((by) => divide(db.query, by)))
      assert.equal(new Set(together.map((rows) => rows[0]!.unit)).size, 1)
      assert.notEqual((await divide(db.query, 1))[0]!.unit, together[0]![0]!.unit)
    })

    test('a Project that asks for much at once leaves room in each unit to another', async () => {
      const db = await open()
      const unit = lookup(
        (value) => sql<{ unit: string }>`select xid as unit from cast(pg_current_xact_id() as text) as xid
          where ${value}::int is not null`,
      )
      const [greedy, other] = [1, 2] as ProjectId[]
      const unitFor = (project: ProjectId, value: number) =>
        onBehalfOf(project, async () => (await unit(db.query, value))[0]!.unit)
      const much = Array.from({ length: 200 }, (_, value) => unitFor(greedy!, value))
      const [lone, ...units] = await Promise.all([unitFor(other!, 0), ...much])
      assert.ok(new Set(units).size > 1)
      assert.equal(lone, units[0])
    })

    test('those of one turn that differ in their values only are one statement, and each gets its own rows', async () => {
      const db = await open()
      const byName = lookup(
        (name) => sql<{ id: number }>`select id from entry where name = ${name} or id = 100 order by id desc`,
      )
      const preparedFor = lookup(
        (kind) => sql<{ statement: string }>`
          select statement from pg_prepared_statements where statement like ${kind} and statement like '%id = 100%'`,
      )
      await run(db, "insert into entry values (100, 'of all')")
      const asked = [...names, 'missing', null, ...names]
      for (let round = 0; round < 3; round++) {
        const found = await Promise.all(asked.map((name) => byName(db.query, name)))
        assert.deepEqual(
          found,
          asked.map((name) =>
            [100, name === null ? -1 : names.indexOf(name)].filter((id) => id >= 0).map((id) => ({ id })),
          ),
        )
      }
      assert.equal((await preparedFor(db.query, 'select given.origin%')).length, 1)
    })

    test('values at the edges arrive as they are, and one that the server refuses fails alone', async () => {
      const { db } = await openBare()
      const text = lookup((value) => sql<{ value: string }>`select ${value}::text as value`)
      const number = lookup((value) => sql<{ value: number }>`select ${value}::bigint as value`)
      const most = Number.MAX_SAFE_INTEGER
      const numbers = [0, 1, -1, 2 ** 31, -(2 ** 31), 2 ** 32 - 1, 2 ** 32, -(2 ** 32), -(2 ** 32) - 1, most, -most]
      const told = await Promise.all(numbers.map((value) => number(db.query, value)))
      assert.deepEqual(
        told.flat(),
        numbers.map((value) => ({ value })),
      )
      const texts = ['', 'NULL', '🜁', '\u{10ffff}', '\ud800', '\u2028', '\0', '🜁'.repeat(50_000)]
      const settled = await Promise.allSettled(texts.map((value) => text(db.query, value)))
      assert.deepEqual(
        settled.map((one) => (one.status === 'fulfilled' ? one.value[0]!.value : 'refused')),
        texts.map((value) => (value === '\0' ? 'refused' : value.toWellFormed())),
      )
    })

    test('a statement that cannot be run for several values runs for each', async () => {
      const db = await open()
      const some = lookup((most) => sql<{ id: number }>`select id from entry order by id limit ${most}`)
      for (let round = 0; round < 3; round++) {
        const found = await Promise.all([1, 2, 3].map((most) => some(db.query, most)))
        assert.deepEqual(
          found.map((rows) => rows.length),
          [1, 2, 3],
        )
      }
    })
  },
  ['postgres'],
)
