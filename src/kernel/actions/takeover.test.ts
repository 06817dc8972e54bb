import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachBareDatabase, gate, run, until } from '../../../test/kit/database/bare-database.ts'
import {
  type Effects,
  killAt,
  openBench,
  permanent,
  placesOf,
  runToEnd,
  traced,
} from '../../../test/kit/samples/action-bench.ts'
import type { Faults } from '../process/faults.ts'
import { type ActionDefinition, DriverError } from './define.ts'
import type { Engine } from './engine.ts'
import { Killed } from './run.ts'
import { startActions } from './store.ts'

forEachBareDatabase('taking over', (openBare) => {
  const open = async () => openBench(await openBare())

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

  test('stopping waits for no step that outlasts its grace, and another worker resumes', async () => {
    const bench = await open()
    const effects: Effects = []
    const slow = gate()
    const runs: (() => Promise<void>)[] = [() => slow.pass(), async () => undefined]
    const definition = traced(effects, ['one', 'two', 'three'], { two: { run: () => runs.shift()!() } })
    const id = await bench.start(definition)
    const stopped = bench.engine([definition])
    await stopped.start()
    await until(() => slow.arrived === 1)
    // The step is still under way when this comes back.
    await stopped.stop(30)
    const given = await bench.action(id)
    assert.deepEqual([given.status, given.worker, given.step, given.attempts], ['running', null, 1, 0])
    // The stopped worker's results come too late, even before another worker has come.
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

  test('a long step keeps its lease', async (t) => {
    const bench = await open()
    const slow = gate()
    const definition = traced([], ['one'], { one: { run: () => slow.pass() } })
    const id = await bench.start(definition)
    const leaseMs = 600_000
    const options = { leaseMs, pollMs: leaseMs }
    const [engine, rival] = [bench.engine([definition], options), bench.engine([definition], options)]
    t.mock.timers.enable({ apis: ['setInterval'] })
    await engine.start()
    await until(() => slow.arrived === 1)
    const { lease_until: first, worker } = await bench.action(id)
    // Two thirds of the lease seem to have passed.
    await run(bench.db, `update action set lease_until = lease_until - ${(leaseMs * 2) / 3}`)
    t.mock.timers.tick((leaseMs * 2) / 3)
    await until(async () => (await bench.action(id)).lease_until! >= first!, 'the lease is extended')
    await rival.idle()
    slow.open()
    await engine.idle()
    assert.equal(worker, engine.worker)
    assert.equal(slow.arrived, 1)
    assert.equal((await bench.action(id)).fence, 1)
    assert.equal((await bench.action(id)).status, 'success')
  })
})

// ---- Several processes over one database ---------------------------------------------------------------------------

forEachBareDatabase(
  'taking over between processes',
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
      const zombie = bench.engine([definition])
      const back = zombie.idle()
      await until(() => slow.arrived === 1)
      await bench.endLeases()
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
  },
  ['postgres'],
)
