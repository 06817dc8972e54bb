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
import { type BareDatabase, forEachBareDatabase, type Gate, gate, run, until } from '../../../test/bare-database.ts'
import { type Database, OutcomeUnknown, type Tables } from '../db.ts'
import { ApiError } from '../errors.ts'
import type { Faults } from '../faults.ts'
import { openLog } from '../log.ts'
import type { ProjectScope } from '../scope.ts'
import { advance, claimActions, extendLeases, finish, forgetLeases, LeaseLost } from './claims.ts'
import { type ActionDefinition, DriverError, defineAction, type Step } from './define.ts'
import { Engine, type EngineOptions, Killed } from './engine.ts'
import { type ActionRow, type ActionStart, startAction, startActions } from './store.ts'

// ---- A small world -------------------------------------------------------------------------------------------------

/** What happened outside the database, in order. */
type Effects = string[]

interface Bench extends BareDatabase {
  engine(definitions: readonly ActionDefinition[], options?: Partial<EngineOptions>): Engine
  start(definition: ActionDefinition, start?: Partial<ActionStart>): Promise<number>
  action(id: number): Promise<ActionRow>
  /** What was committed with steps and reverts, in order. */
  commits(): Promise<string[]>
  /** As if so much time had passed that every lease is over. */
  endLeases(): Promise<void>
  /** Ids of locks and serial keys that are still held. */
  held(): Promise<number>
}

const log = openLog('silent')

async function openBench(bare: BareDatabase): Promise<Bench> {
  const { db, scope } = bare
  await run(db, 'create table committed (position integer, what text)')
  return {
    ...bare,
    engine(definitions, options = {}) {
      const engine = new Engine({ db, drivers: {} as never, log, definitions, retryMs: 1, pollMs: 20, ...options })
      bare.later(() => engine.stop(0))
      return engine
    },
    start: (definition, start) => startOne(db, scope, definition, start),
    action: (id) => actionOf(db, id),
    async commits() {
      return (await run<{ what: string }>(db, 'select what from committed order by position')).map(({ what }) => what)
    },
    async endLeases() {
      await run(db, "update action set lease_until = 1 where status = 'running' and lease_until is not null")
    },
    async held() {
      return (await run(db, 'select action_id from resource_lock union all select action_id from action_serial')).length
    },
  }
}

async function startOne(
  db: Database,
  scope: ProjectScope,
  definition: ActionDefinition,
  start: Partial<ActionStart> = {},
): Promise<number> {
  const resources = [{ type: 'thing', id: 1 }]
  return (await db.transact((tx) => startAction(tx, scope, { definition, input: {}, resources, ...start }))).id
}

async function actionOf(db: Database, id: number): Promise<ActionRow> {
  return db.query.selectFrom('action').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

const commit: (what: string) => NonNullable<Step<never>['commit']> = (what) => async (tx) => {
  const row = { position: (await countCommitted(tx.query as never)) + 1, what }
  await tx.query
    .insertInto('committed' as never)
    .values(row as never)
    .execute()
}

async function countCommitted(query: Database['query']): Promise<number> {
  const { count } = await query
    .selectFrom('committed' as never)
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** An action of these steps, each of which leaves a trace outside and one inside the database. */
function traced(effects: Effects, names: readonly string[], overrides: Record<string, Partial<Step<never>>> = {}) {
  return defineAction({
    command: 'change_thing',
    family: 'things',
    steps: names.map((name) => ({
      name,
      run: async () => void effects.push(name),
      commit: commit(name),
      undo: async () => void effects.push(`${name} undone`),
      ...overrides[name],
    })) as Step<never>[],
    revert: commit('revert'),
  }) as ActionDefinition
}

const permanent = async () => {
  throw new DriverError('no such machine', { transient: false })
}

/** Runs whatever can run, also what waits for a lease to end, until the action is over; returns the workers it took. */
async function runToEnd(bench: Bench, id: number, nextWorker: () => Engine): Promise<number> {
  for (let workers = 1; ; workers++) {
    await nextWorker().idle()
    if ((await bench.action(id)).status !== 'running') return workers
    assert.ok(workers < 100, 'the action does not end')
    await bench.endLeases()
  }
}

/** Every place that a run of `definition` reaches. */
async function placesOf(bench: Bench, definition: ActionDefinition): Promise<string[]> {
  const places: string[] = []
  await bench.start(definition)
  await bench.engine([definition], { faults: { reach: (place) => void places.push(place) } }).idle()
  await run(bench.db, 'delete from committed')
  return places
}

function killAt(place: string): Faults {
  return {
    reach(reached) {
      if (reached === place) throw new Killed(place)
    },
  }
}

// ---- What holds on both databases ----------------------------------------------------------------------------------

forEachBareDatabase('actions', (openBare, engineName) => {
  const open = async () => openBench(await openBare())

  test('steps run in order, each recorded together with what it means for the database', async () => {
    const bench = await open()
    const effects: Effects = []
    const seen: number[] = []
    const definition = traced(effects, ['one', 'two', 'three'])
    const locks = [{ type: 'thing', id: 1 }]
    const id = await bench.start(definition, { locks, serial: locks })
    const look = async () => {
      const { progress, step } = await bench.action(id)
      seen.push(progress)
      assert.equal((await bench.commits()).length, step, 'a step is recorded exactly when its commit is')
    }
    await bench.engine([definition], { faults: { reach: look } }).idle()
    const { status, progress, finished, error_code } = await bench.action(id)
    assert.deepEqual({ status, progress, error_code }, { status: 'success', progress: 100, error_code: null })
    assert.equal(finished, '2026-11-21T12:00:00Z')
    assert.deepEqual(effects, ['one', 'two', 'three'])
    assert.deepEqual(await bench.commits(), ['one', 'two', 'three'])
    assert.deepEqual(seen, [0, 0, 33, 33, 33, 66, 66, 66, 100], 'progress never decreases')
    assert.equal(await bench.held(), 0)
  })

  test('an action without steps is a success from its first moment', async () => {
    const bench = await open()
    const locks = [{ type: 'thing', id: 1 }]
    const id = await bench.start(traced([], []), { locks, serial: locks })
    assert.equal((await bench.action(id)).status, 'success')
    assert.equal(await bench.held(), 0)
  })

  test('a worker killed at any place is replaced, and every commit happens once', async () => {
    const bench = await open()
    const effects: Effects = []
    const definition = traced(effects, ['one', 'two', 'three'])
    const places = await placesOf(bench, definition)
    assert.equal(places.length, 9)
    for (const place of places) {
      effects.length = 0
      const id = await bench.start(definition)
      const workers = [bench.engine([definition], { faults: killAt(place) }), bench.engine([definition])]
      const isLast = place.endsWith('three:after-commit')
      assert.equal(await runToEnd(bench, id, () => workers.shift()!), isLast ? 1 : 2, place)
      assert.equal((await bench.action(id)).status, 'success', place)
      assert.deepEqual(await bench.commits(), ['one', 'two', 'three'], place)
      const repeated = place.endsWith(':after-effect') ? [place.slice(place.indexOf('#') + 1, -13)] : []
      assert.deepEqual([...effects].sort(), ['one', 'two', 'three', ...repeated].sort(), place)
      await run(bench.db, 'delete from committed')
    }
  })

  test('a worker killed at any place of giving up is replaced, and the desired state is taken back once', async () => {
    const bench = await open()
    const effects: Effects = []
    const definition = traced(effects, ['one', 'two', 'three'], { three: { run: permanent } })
    const places = await placesOf(bench, definition)
    assert.equal(places.length, 7 + 1 + 9)
    for (const place of places) {
      effects.length = 0
      const id = await bench.start(definition)
      const workers = [bench.engine([definition], { faults: killAt(place) }), bench.engine([definition])]
      await runToEnd(bench, id, () => workers.shift()!)
      const { status, progress, error_code, error_message } = await bench.action(id)
      assert.deepEqual(
        { status, progress, error_code, error_message },
        { status: 'error', progress: 66, error_code: 'action_failed', error_message: 'no such machine' },
        place,
      )
      assert.deepEqual(await bench.commits(), ['one', 'two', 'revert'], place)
      const undone = effects.filter((effect, i) => effect.endsWith(' undone') && effects[i - 1] !== effect)
      assert.deepEqual(undone, ['three undone', 'two undone', 'one undone'], place)
      await run(bench.db, 'delete from committed')
    }
  })

  test('an action outlives the death of every worker on its way', async () => {
    const bench = await open()
    for (const overrides of [{}, { three: { run: permanent } }]) {
      const died = new Set<string>()
      const definition = traced([], ['one', 'two', 'three'], overrides)
      const dieOnce: Faults = {
        reach(place) {
          if (died.has(place)) return
          died.add(place)
          throw new Killed(place)
        },
      }
      const id = await bench.start(definition)
      await runToEnd(bench, id, () => bench.engine([definition], { faults: dieOnce }))
      const failed = 'three' in overrides
      assert.equal(died.size, failed ? 17 : 9)
      assert.equal((await bench.action(id)).status, failed ? 'error' : 'success')
      assert.deepEqual(await bench.commits(), ['one', 'two', failed ? 'revert' : 'three'])
      await run(bench.db, 'delete from committed')
    }
  })

  test('a failure that may pass is repeated, later each time, and then succeeds', async () => {
    const bench = await open()
    const at: number[] = []
    const flaky = async () => {
      if (at.push(performance.now()) < 5) throw new DriverError('busy', { transient: true })
    }
    const definition = traced([], ['one', 'two'], { two: { run: flaky } })
    const id = await bench.start(definition)
    await bench.engine([definition], { retryMs: 8 }).idle()
    assert.equal((await bench.action(id)).status, 'success')
    assert.deepEqual(await bench.commits(), ['one', 'two'])
    const pauses = at.slice(1).map((time, i) => time - at[i]!)
    // Times are rounded to the database's milliseconds.
    pauses.forEach((pause, i) => {
      assert.ok(pause >= 8 * 2 ** i * 0.75 - 2, `pauses ${pauses.join(', ')}`)
    })
  })

  for (const transient of [true, false]) {
    test(`a ${transient ? 'lasting' : 'permanent'} failure ends as action_failed, with everything taken back`, async () => {
      const bench = await open()
      const effects: Effects = []
      let tries = 0
      const fail = async () => {
        tries++
        throw new DriverError('out of machines', { transient })
      }
      const definition = traced(effects, ['one', 'two', 'three'], { two: { run: fail } })
      const refs = [{ type: 'thing', id: 1 }]
      const id = await bench.start(definition, { locks: refs, serial: refs })
      await bench.engine([definition]).idle()
      assert.equal(tries, transient ? 5 : 1)
      const { status, error_code, error_message, progress } = await bench.action(id)
      assert.deepEqual([status, error_code, error_message, progress], ['error', 'action_failed', 'out of machines', 33])
      assert.deepEqual(effects, ['one', 'two undone', 'one undone'])
      assert.deepEqual(await bench.commits(), ['one', 'revert'])
      assert.equal(await bench.held(), 0)
      await bench.start(definition, { locks: refs })
    })
  }

  test('a bug in a step fails the action without telling its text', async () => {
    const bench = await open()
    const definition = traced([], ['one'], {
      one: {
        run() {
          throw new TypeError('secret of the house')
        },
      },
    })
    const id = await bench.start(definition)
    await bench.engine([definition]).idle()
    assert.equal((await bench.action(id)).error_message, 'an unexpected error happened')
  })

  test('a failing commit takes back nothing but its own step', async () => {
    const bench = await open()
    const effects: Effects = []
    const definition = traced(effects, ['one', 'two'], {
      two: {
        async commit(tx, context) {
          await commit('half')(tx, context)
          throw new Error('bug')
        },
      },
    })
    const id = await bench.start(definition)
    await bench.engine([definition]).idle()
    assert.equal((await bench.action(id)).status, 'error')
    assert.deepEqual(await bench.commits(), ['one', 'revert'])
    assert.deepEqual(effects, ['one', 'two', 'two undone', 'one undone'])
  })

  test('an undo is repeated when it may succeed, and left out when it never does', async () => {
    const bench = await open()
    let tries = 0
    const effects: Effects = []
    const definition = traced(effects, ['one', 'two', 'three'], {
      two: {
        async undo() {
          tries++
          throw new DriverError('busy', { transient: true })
        },
      },
      three: { run: permanent, undo: permanent },
    })
    const id = await bench.start(definition)
    await bench.engine([definition]).idle()
    assert.equal((await bench.action(id)).status, 'error')
    assert.equal(tries, 5)
    assert.deepEqual(effects, ['one', 'two', 'one undone'])
  })

  test('a driver that never answers is cut off, and may answer the next time', async () => {
    const bench = await open()
    let calls = 0
    const silent = () => (++calls % 6 === 0 ? Promise.resolve() : new Promise<void>(() => {}))
    const definition = traced([], ['one'], { one: { run: silent } })
    const options = { callTimeoutMs: 5 }
    const failing = await bench.start(definition)
    await bench.engine([definition], options).idle()
    assert.equal(calls, 5)
    assert.equal((await bench.action(failing)).error_message, 'the infrastructure did not answer in time')
    const lucky = await bench.start(definition)
    await bench.engine([definition], options).idle()
    assert.equal((await bench.action(lucky)).status, 'success')
  })

  test('an action that ends its worker every time is given up, its undo and its revert likewise', async () => {
    const bench = await open()
    let runs = 0
    let undos = 0
    let reverts = 0
    const definition: ActionDefinition = {
      ...traced([], ['poison'], {
        poison: {
          async run() {
            runs++
            throw new Killed()
          },
          async undo() {
            undos++
            throw new Killed()
          },
        },
      }),
      async revert() {
        reverts++
        throw new Killed()
      },
    }
    const refs = [{ type: 'thing', id: 1 }]
    const id = await bench.start(definition, { locks: refs, serial: refs })
    await runToEnd(bench, id, () => bench.engine([definition]))
    assert.deepEqual([runs, reverts, undos], [20, 20, 20])
    const { status, error_code } = await bench.action(id)
    assert.deepEqual([status, error_code], ['error', 'action_failed'])
    assert.equal(await bench.held(), 0)
  })

  test('a revert that always fails does not lock its resource for ever', async () => {
    const bench = await open()
    const definition: ActionDefinition = {
      ...traced([], ['one'], { one: { run: permanent } }),
      async revert(tx, context) {
        await commit('half')(tx, context as never)
        throw new Error('bug')
      },
    }
    const refs = [{ type: 'thing', id: 1 }]
    const id = await bench.start(definition, { locks: refs })
    await bench.engine([definition], { retryMs: 0 }).idle()
    assert.equal((await bench.action(id)).error_code, 'action_failed')
    assert.deepEqual(await bench.commits(), [])
    assert.equal(await bench.held(), 0)
  })

  test('an action that only a newer version knows waits for it, untouched', async () => {
    const bench = await open()
    const unknown = traced([], ['one'])
    const known: ActionDefinition = { ...traced([], ['one']), command: 'known' }
    const serial = [{ type: 'thing', id: 1 }]
    const waiting = await bench.start(unknown, { serial })
    const behind = await bench.start(known, { serial })
    const free = await bench.start(known)
    const old = bench.engine([known])
    await old.start()
    await old.idle()
    for (const id of [waiting, behind]) {
      const { status, fence, attempts } = await bench.action(id)
      assert.deepEqual({ status, fence, attempts }, { status: 'running', fence: 0, attempts: 0 })
    }
    assert.equal((await bench.action(free)).status, 'success')
    await old.stop()
    await bench.engine([known, unknown]).idle()
    assert.equal((await bench.action(waiting)).status, 'success')
    assert.equal((await bench.action(behind)).status, 'success')
  })

  test('a database that is away or silent about a commit does not fail an action', async () => {
    const bench = await open()
    const definition = traced([], ['one', 'two', 'three'])
    let calls = 0
    const unreliable: Database = Object.create(bench.db, {
      transact: {
        async value(work: Parameters<Database['transact']>[0]) {
          const luck = (++calls * 7919) % 13
          if (luck < 4) throw new ApiError('unavailable', 'away')
          const result = await bench.db.transact(work)
          if (luck < 8) throw new OutcomeUnknown()
          return result
        },
      },
    })
    for (let i = 0; i < 8; i++) {
      const id = await bench.start(definition)
      await runToEnd(bench, id, () => bench.engine([definition], { db: unreliable, retryMs: 0 }))
      assert.equal((await bench.action(id)).status, 'success')
      assert.deepEqual(await bench.commits(), ['one', 'two', 'three'])
      await run(bench.db, 'delete from committed')
    }
  })

  test('an ended action never changes, and a stale claim changes nothing', async () => {
    const bench = await open()
    const definition = traced([], ['one'])
    const id = await bench.start(definition)
    await assert.rejects(
      bench.db.transact((tx) => advance(tx, { id, fence: 7 }, { progress: 50 })),
      LeaseLost,
    )
    await bench.engine([definition]).idle()
    const ended = await bench.action(id)
    const claims = [ended, { id, fence: ended.fence + 1 }, { id, fence: 0 }]
    for (const claim of claims) {
      const change = bench.db.transact((tx) => advance(tx, claim, { progress: 50 }))
      await assert.rejects(change, LeaseLost)
      const end = bench.db.transact((tx) => finish(tx, claim, { status: 'error', error_code: 'action_failed' }))
      await assert.rejects(end, LeaseLost)
    }
    assert.deepEqual(await bench.action(id), ended)
  })

  test('a worker does not claim again what it has under way, though the lease has ended', async () => {
    const bench = await open()
    const slow = gate()
    const definition = traced([], ['one'], { one: { run: () => slow.pass() } })
    const id = await bench.start(definition)
    const quick: ActionDefinition = { ...traced([], ['one']), command: 'quick' }
    const engine = bench.engine([definition, quick])
    const idle = engine.idle()
    await until(() => slow.arrived === 1)
    await bench.endLeases()
    const other = await bench.start(quick)
    engine.wake()
    await until(async () => (await bench.action(other)).status === 'success')
    slow.open()
    await idle
    assert.equal(slow.arrived, 1)
    const { status, fence } = await bench.action(id)
    assert.deepEqual({ status, fence }, { status: 'success', fence: 1 }, 'nobody else has come, so it may be recorded')
  })

  test('a clock that is set back holds nobody up', async () => {
    const bench = await open()
    const definition = traced([], ['one'])
    const hour = 3_600_000
    const later = Date.now() + hour
    const ids = [await bench.start(definition), await bench.start(definition)]
    await run(bench.db, `update action set worker = 'dead', lease_until = ${later} where id = ${ids[0]}`)
    await run(bench.db, `update action set run_after = ${later} where id = ${ids[1]}`)
    await bench.engine([definition]).idle()
    for (const id of ids) assert.equal((await bench.action(id)).status, 'success')
  })

  test('stopping in the middle of a slow step keeps to its grace, and another worker resumes at once', async () => {
    const bench = await open()
    const effects: Effects = []
    const slow = gate()
    const runs: (() => Promise<void>)[] = [() => slow.pass(), async () => undefined]
    const definition = traced(effects, ['one', 'two', 'three'], { two: { run: () => runs.shift()!() } })
    const id = await bench.start(definition)
    const stopped = bench.engine([definition])
    await stopped.start()
    await until(() => slow.arrived === 1)
    const before = performance.now()
    await stopped.stop(30)
    assert.ok(performance.now() - before < 3_000)
    const given = await bench.action(id)
    assert.deepEqual([given.status, given.worker, given.step, given.attempts], ['running', null, 1, 0])
    // What the stopped worker still brings is too late, even before another one has come.
    slow.open()
    await stopped.idle()
    assert.deepEqual(await bench.commits(), ['one'])
    await bench.engine([definition]).idle()
    assert.deepEqual(await bench.commits(), ['one', 'two', 'three'])
    assert.equal((await bench.action(id)).status, 'success')
  })

  test('stopping lets a step end in its grace and gives the rest back, without counting as an attempt', async () => {
    const bench = await open()
    let tries = 0
    const moody = async () => {
      if (++tries <= 4) throw new DriverError('busy', { transient: true })
    }
    const definition = traced([], ['one', 'two'], { two: { run: moody } })
    const id = await bench.start(definition)
    for (let restarts = 0; restarts < 25; restarts++) {
      const engine = bench.engine([definition])
      const stopping = gate()
      const faults: Faults = { reach: () => stopping.pass() }
      const stopped = bench.engine([definition], { faults })
      await stopped.start()
      await until(() => stopping.arrived === 1)
      await stopped.stop(0)
      stopping.open()
      await engine.stop()
    }
    assert.equal((await bench.action(id)).attempts, 0)
    await bench.engine([definition]).idle()
    assert.equal((await bench.action(id)).status, 'success')
    assert.equal(tries, 5)
  })

  test('an engine that is stopped while it claims holds nothing afterwards', async () => {
    const bench = await open()
    const done = new Map<number, number>()
    const definition = traced([], ['one'], {
      one: {
        run: async ({ actionId }: { actionId: number }) => void done.set(actionId, (done.get(actionId) ?? 0) + 1),
        commit: undefined as never,
      },
    })
    const starts = Array.from({ length: 150 }, () => ({ definition, input: {}, resources: [] }))
    await bench.db.transact((tx) => startActions(tx, bench.scope, starts))
    for (let left = 150; left > 0; ) {
      const engine = bench.engine([definition])
      await engine.start()
      engine.wake()
      await engine.stop()
      const rows = await run<{ worker: string | null }>(bench.db, "select worker from action where status = 'running'")
      assert.deepEqual(new Set(rows.map(({ worker }) => worker)), new Set(rows.length > 0 ? [null] : []))
      left = rows.length
      if (left > 0) await bench.engine([definition]).idle()
    }
    assert.equal(done.size, 150)
    assert.deepEqual(new Set(done.values()), new Set([1]))
  })

  test('a long step keeps its lease', async () => {
    const bench = await open()
    const slow = gate()
    const definition = traced([], ['one'], { one: { run: () => slow.pass() } })
    const id = await bench.start(definition)
    const [engine, rival] = [bench.engine([definition], { leaseMs: 900 }), bench.engine([definition])]
    await engine.start()
    await until(() => slow.arrived === 1)
    const { lease_until: first, worker } = await bench.action(id)
    await until(async () => {
      await rival.idle()
      return (await bench.action(id)).lease_until! > first! + 900
    }, 'the lease is extended beyond its first end')
    slow.open()
    await engine.idle()
    assert.equal(worker, engine.worker)
    assert.equal(slow.arrived, 1)
    assert.equal((await bench.action(id)).fence, 1)
    assert.equal((await bench.action(id)).status, 'success')
  })

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
    await engine.idle()
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
       0, 'then', null, null, null, '{}', 0, 'forward', null, null, 0, 0, 0 from n`,
  )
  await run(db, `insert into action_serial select 'thing:' || id % 7, id from action where status = 'running'`)
  await run(db, isSqlite ? 'analyze' : 'analyze action, action_serial')
}

/** How the database goes about the statements of a claim and of a heartbeat. */
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
  const claimant = { worker: 'w', definitions: ['things/change_thing', 'b/c'], leaseMs: 1_000 }
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

// ---- Several processes over one database ---------------------------------------------------------------------------

forEachBareDatabase(
  'actions of several processes',
  (openBare) => {
    const open = async () => openBench(await openBare())

    test('whose lease ended during its effect cannot record it, and the action is done once', async () => {
      const bench = await open()
      const slow = gate()
      const runs: (() => Promise<void>)[] = [() => slow.pass(), async () => undefined]
      const definition = traced([], ['one', 'two'], { one: { run: () => runs.shift()!() } })
      const refs = [{ type: 'thing', id: 1 }]
      const id = await bench.start(definition, { locks: refs })
      // Never started, so it has no heartbeat: as if its process stood still.
      const zombie = bench.engine([definition], { leaseMs: 200 })
      const back = zombie.idle()
      await until(() => slow.arrived === 1)
      const rival = bench.engine([definition], { db: await bench.another() })
      await rival.start()
      await until(async () => (await bench.action(id)).status === 'success')
      const ended = await bench.action(id)
      // The lock belongs to somebody else by now, who must not lose it to the late one.
      await bench.start({ ...definition, command: 'other' }, { locks: refs })
      slow.open()
      await back
      assert.deepEqual(await bench.commits(), ['one', 'two'])
      assert.deepEqual(await bench.action(id), ended)
      assert.equal(await bench.held(), 1)
    })

    test('a worker whose lease may have ended begins no further effect', async () => {
      const bench = await open()
      const effects: Effects = []
      const definition = traced(effects, ['one'])
      const id = await bench.start(definition)
      const stall = gate()
      const engine = bench.engine([definition], { leaseMs: 1, faults: { reach: () => stall.pass() } })
      const idle = engine.idle()
      await until(() => stall.arrived === 1)
      const { lease_until: end } = await bench.action(id)
      await until(() => Date.now() > end! + 5)
      const stopped = engine.stop()
      stall.open()
      await Promise.all([stopped, idle])
      assert.deepEqual(effects, [])
      await bench.endLeases()
      await bench.engine([definition]).idle()
      assert.deepEqual(effects, ['one'])
    })

    test('several engines share 300 actions and do each once', async () => {
      const bench = await open()
      const done = new Map<number, number>()
      const definition = traced([], ['one'], {
        one: {
          run: async ({ actionId }: { actionId: number }) => void done.set(actionId, (done.get(actionId) ?? 0) + 1),
          commit: undefined as never,
        },
      })
      const engines: Engine[] = []
      for (let i = 0; i < 3; i++) engines.push(bench.engine([definition], { db: await bench.another(4) }))
      await Promise.all(engines.map((engine) => engine.start()))
      const start = { definition, input: {}, resources: [] }
      await Promise.all(
        Array.from({ length: 10 }, () =>
          bench.db.transact((tx) => startActions(tx, bench.scope, Array(30).fill(start))),
        ),
      )
      await until(async () => (await run(bench.db, "select 1 from action where status = 'running'")).length === 0)
      assert.equal(done.size, 300)
      assert.deepEqual(new Set(done.values()), new Set([1]))
    })

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
