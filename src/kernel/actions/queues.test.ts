import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { forEachBareDatabase, type Gate, gate, run, until } from '../../../test/kit/database/bare-database.ts'
import { type Bench, type Effects, openBench, traced } from '../../../test/kit/samples/action-bench.ts'
import { createProject } from '../access/projects.ts'
import type { Database, Tables } from '../data/db.ts'
import { claimActions, extendLeases, forgetLeases } from './claims.ts'
import { type ActionDefinition, DriverError, defineAction } from './define.ts'
import { type ActionStart, startAction, startActions } from './store.ts'

forEachBareDatabase('queues and locks', (openBare, engineName) => {
  const open = async () => openBench(await openBare())

  test('actions on one resource run one after another in the order of their ids, others meanwhile', async () => {
    const bench = await open()
    const doors = new Map<number, Gate>()
    const order: number[] = []
    const running = new Set<number>()
    const definition = defineAction<{ n: number }>({
      command: 'change',
      family: 'things',
      steps: [
        {
          name: 'run',
          async run({ input: { n }, actionId }) {
            order.push(n)
            running.add(actionId)
            await doors.get(n)?.pass()
            running.delete(actionId)
          },
        },
      ],
    }) as unknown as ActionDefinition
    const [a, b] = [
      { type: 'thing', id: 1 },
      { type: 'thing', id: 2 },
    ]
    const other = { type: 'other', id: 1 }
    doors.set(1, gate())
    const start = (n: number, serial: ActionStart['serial'] & {}) => ({
      definition,
      input: { n },
      resources: [],
      serial,
    })
    await bench.db.transact((tx) =>
      startActions(tx, bench.scope, [start(1, [a]), start(2, [a, b]), start(3, [b]), start(4, [other]), start(5, [a])]),
    )
    const engine = bench.engine([definition])
    await engine.start()
    await until(() => order.includes(4))
    assert.deepEqual([...order].sort(), [1, 4], 'those behind the first wait')
    doors.get(1)!.open()
    await until(() => order.length === 5)
    await engine.idle()
    assert.ok(order.indexOf(2) > order.indexOf(1))
    assert.ok(order.indexOf(3) > order.indexOf(2))
    assert.ok(order.indexOf(5) > order.indexOf(2))
    assert.equal(await bench.held(), 0)
  })

  test('a long queue on one resource is worked off in order, without a pause', async () => {
    const bench = await open()
    const order: number[] = []
    const definition = traced([], ['one'], {
      one: {
        run: async ({ actionId }: { actionId: number }) => void order.push(actionId),
        commit: undefined as never,
      },
    })
    const serial = [{ type: 'thing', id: 1 }]
    const starts = Array.from({ length: 60 }, () => ({ definition, input: {}, resources: [], serial }))
    const started = await bench.db.transact((tx) => startActions(tx, bench.scope, starts))
    // Polling so seldom that every action but the first is found through the end of the one before.
    const engine = bench.engine([definition], { pollMs: 60_000 })
    await engine.start()
    await until(() => order.length === 60)
    assert.deepEqual(
      order,
      started.map(({ id }) => id),
    )
  })

  test('an action in front that fails for a while keeps those behind it waiting', async () => {
    const bench = await open()
    const effects: Effects = []
    let tries = 0
    const moody = async () => {
      if (++tries < 4) throw new DriverError('busy', { transient: true })
      effects.push('first')
    }
    const first: ActionDefinition = { ...traced(effects, ['one'], { one: { run: moody } }), command: 'first' }
    const second = traced(effects, ['second'])
    const serial = [{ type: 'thing', id: 1 }]
    await bench.start(first, { serial })
    await bench.start(second, { serial })
    await bench.engine([first, second]).idle()
    assert.deepEqual(effects, ['first', 'second'])
  })

  test('a Project whose actions all hang leaves places for those of others, and goes on afterwards', async () => {
    const bench = await open()
    const { db, scope } = bench
    const other = { projectId: (await db.transact((tx) => createProject(tx, 'other', '2026-11-21T12:00:00Z'))).id }
    const hanging = gate()
    const slow = traced([], ['one'], { one: { run: () => hanging.pass(), commit: undefined as never } })
    const quick: ActionDefinition = { ...traced([], ['one']), command: 'quick' }
    const starts = Array.from({ length: 300 }, () => ({ definition: slow, input: {}, resources: [] }))
    await db.transact((tx) => startActions(tx, scope, starts))
    const engine = bench.engine([slow, quick])
    await engine.start()
    await until(() => hanging.arrived === 64, 'the Project has its part')
    const { id } = await db.transact((tx) => startAction(tx, other, { definition: quick, input: {}, resources: [] }))
    await until(async () => (await bench.action(id)).status === 'success')
    assert.equal(hanging.arrived, 64)
    hanging.open()
    await engine.idle()
    assert.equal(hanging.arrived, 300)
    assert.deepEqual(await run(db, "select id from action where status <> 'success'"), [])
  })

  test('actions that start while a worker has nothing else to do keep their order and the limit of their Project', async () => {
    const bench = await open()
    const [door, running] = [gate(), new Set<number>()]
    let most = 0
    const started: number[] = []
    const definition = traced([], ['one'], {
      one: {
        run: async ({ actionId }: { actionId: number }) => {
          started.push(actionId)
          most = Math.max(most, running.add(actionId).size)
          await door.pass()
          running.delete(actionId)
        },
        commit: undefined as never,
      },
    })
    const engine = bench.engine([definition], { pollMs: 60_000 })
    await engine.start()
    await engine.idle()
    const serial = [{ type: 'thing', id: 1 }]
    const first = await bench.start(definition, { serial })
    await until(() => started.length === 1)
    const second = await bench.start(definition, { serial })
    const others = await Promise.all(Array.from({ length: 150 }, () => bench.start(definition)))
    await until(() => started.length === 64)
    assert.ok(!started.includes(second), 'it waits for the one before in its queue')
    door.open()
    await engine.idle()
    assert.deepEqual(started.toSorted(), [first, second, ...others].toSorted())
    assert.ok(started.indexOf(second) > started.indexOf(first))
    assert.equal(most, 64)
    assert.deepEqual(await run(bench.db, "select id from action where status <> 'success'"), [])
    assert.equal(await bench.held(), 0)
  })

  test('actions that start together take their time, also those that find no place', async () => {
    const bench = await open()
    const begun: number[] = []
    const one = { run: async ({ actionId }: { actionId: number }) => void begun.push(actionId) }
    const definition = traced([], ['one'], { one: { ...one, commit: undefined as never } })
    const durations = { of: () => 60_000, longestMs: 60_000 }
    const engine = bench.engine([definition], { durations, pollMs: 60_000 })
    await engine.start()
    await engine.drain()
    // Each of the transactions that are committed together finds the same places.
    const starts = Array.from({ length: 5 }, (): ActionStart => ({ definition, input: {}, resources: [] }))
    const several = () => bench.db.transact((tx) => startActions(tx, bench.scope, starts))
    await Promise.all(Array.from({ length: 30 }, several))
    await until(async () => (await run(bench.db, 'select id from action where run_after = 0')).length === 0)
    await engine.drain()
    assert.deepEqual(begun, [])
  })

  test('a second action on a locked resource is refused', async () => {
    const bench = await open()
    const definition = traced([], ['one'])
    const [a, b] = [
      { type: 'thing', id: 1 },
      { type: 'thing', id: 2 },
    ]
    const sameId = { type: 'other', id: 1 }
    await bench.start(definition, { locks: [a] })
    await bench.start(definition, { locks: [sameId] })
    for (const locks of [[a], [b, a], [sameId, b]]) {
      await assert.rejects(bench.start(definition, { locks }), { code: 'locked', status: 423 })
    }
    await bench.start(definition, { locks: [b] })
    assert.equal((await run(bench.db, 'select * from action')).length, 3, 'what is refused leaves nothing')
    await bench.engine([definition]).idle()
    await bench.start(definition, { locks: [a, b] })
  })

  test('a lock that several actions of one start want lasts until the last of them ends', async () => {
    const bench = await open()
    const slow = gate()
    const quick = traced([], ['one'])
    const lasting: ActionDefinition = {
      ...traced([], ['two'], { two: { run: () => slow.pass() } }),
      command: 'lasting',
    }
    const refs = [{ type: 'thing', id: 1 }]
    const start = (definition: ActionDefinition) => ({
      definition,
      input: {},
      resources: [],
      locks: refs,
      serial: refs,
    })
    await bench.db.transact((tx) => startActions(tx, bench.scope, [start(quick), start(lasting)]))
    const idle = bench.engine([quick, lasting]).idle()
    await until(() => slow.arrived === 1)
    await assert.rejects(bench.start(quick, { locks: refs }), { code: 'locked' })
    slow.open()
    await idle
    await bench.start(quick, { locks: refs })
  })

  test('of 50 that start on one resource at the same time exactly one wins', async () => {
    const bench = await open()
    const definition = traced([], ['one'])
    const locks = [
      { type: 'thing', id: 1 },
      { type: 'thing', id: 2 },
    ]
    for (let round = 0; round < 3; round++) {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 50 }, (_, i) => bench.start(definition, { locks: i % 2 ? locks : locks.toReversed() })),
      )
      const codes = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []))
      assert.deepEqual(codes, Array(49).fill('locked'))
      await bench.engine([definition]).idle()
      assert.equal(await bench.held(), 0)
    }
  })

  test('looking for work and extending leases read no more than the running actions', async () => {
    const bench = await open()
    await fillWithEnded(bench, engineName === 'sqlite')
    const plans = await plansOf(bench, engineName === 'sqlite')
    for (const { statement, plan } of plans) {
      assert.match(plan, /action_running|action_pkey|INTEGER PRIMARY KEY/, `${statement}\n${plan}`)
      assert.doesNotMatch(plan, /Seq Scan on action |SCAN (action|free|mine|first)(?! USING)/, `${statement}\n${plan}`)
    }
  })
})

/** Many ended and a few running actions, with statistics. */
async function fillWithEnded({ db, scope }: Bench, isSqlite: boolean): Promise<void> {
  await run(
    db,
    `insert into action
     with recursive n (i) as (select 1 union all select i + 1 from n where i < 5000)
     select i, ${scope.projectId}, 'things/change_thing', 'x', case when i % 100 = 0 then 'running' else 'success' end,
       0, 'then', null, null, null, '{}', 0, 'forward', null, null, 0, 0, 0, '[]', null from n`,
  )
  await run(db, `insert into action_serial select 'thing:' || id % 7, id from action where status = 'running'`)
  await run(db, isSqlite ? 'analyze' : 'analyze action, action_serial')
}

/** Returns the query plans of the statements of a claim and of a heartbeat. */
async function plansOf({ db }: Bench, isSqlite: boolean): Promise<{ statement: string; plan: string }[]> {
  const recorded: CompiledQuery[] = []
  const query = new Kysely<Tables>({
    dialect: {
      createAdapter: () => (isSqlite ? new SqliteAdapter() : new PostgresAdapter()),
      createDriver: () => new DummyDriver(),
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
      createQueryCompiler: () => (isSqlite ? new SqliteQueryCompiler() : new PostgresQueryCompiler()),
    },
    log: (event) => void recorded.push(event.query),
  })
  const recorder: Database = Object.create(db, {
    transact: { value: (work: (tx: object) => unknown) => work({ query, dialect: db.dialect }) },
  })
  const claimant = { worker: 'w', definitions: ['things/change_thing', 'b/c'], leaseMs: 1_000, longestMs: 60_000 }
  await claimActions(recorder, claimant, 64)
  await extendLeases(recorder, claimant, [100, 200])
  if (isSqlite) await forgetLeases(recorder)
  const explain = isSqlite ? 'explain query plan ' : 'explain '
  return Promise.all(
    recorded.map(async ({ sql: statement, parameters }) => {
      const { rows } = await db.query.executeQuery(CompiledQuery.raw(explain + statement, [...parameters]))
      return { statement, plan: rows.map((row) => JSON.stringify(row)).join('\n') }
    }),
  )
}

forEachBareDatabase(
  'queues of several processes',
  (openBare) => {
    const open = async () => openBench(await openBare())

    test('serial actions get their ids in the order of their commits', async () => {
      const bench = await open()
      const definition = traced([], ['one'])
      const serial = [{ type: 'thing', id: 1 }]
      const hold = gate()
      let first = 0
      const slow = bench.db.transact(async (tx) => {
        first = (await startAction(tx, bench.scope, { definition, input: {}, resources: [], serial })).id
        await hold.pass()
      })
      await until(() => hold.arrived === 1)
      const other = await bench.start(definition, { serial: [{ type: 'thing', id: 2 }] })
      const behind = bench.start(definition, { serial })
      const waiting = "select 1 from pg_locks where locktype = 'advisory' and not granted"
      await until(async () => (await run(bench.db, waiting)).length === 1)
      hold.open()
      await slow
      const second = await behind
      assert.ok(second > first)
      assert.ok(second > other, 'its id is drawn only when it is its turn')
    })
  },
  ['postgres'],
)
