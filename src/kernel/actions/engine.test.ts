import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { forEachBareDatabase, run, until } from '../../../test/kit/database/bare-database.ts'
import { commit, type Effects, openBench, permanent, runToEnd, traced } from '../../../test/kit/samples/action-bench.ts'
import { type Database, OutcomeUnknown } from '../data/db.ts'
import { acrossProjects } from '../data/scoped.ts'
import { ApiError } from '../errors.ts'
import { LeaseLost } from '../queue/leases.ts'
import { advance, finish } from './claims.ts'
import { type ActionDefinition, DriverError, type StepContext } from './define.ts'

forEachBareDatabase('actions', (openBare) => {
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

  test('a failure that may pass is repeated, later each time, and then succeeds', async () => {
    const bench = await open()
    const asked: number[] = []
    const flaky = async () => {
      if (asked.push(await bench.now()) < 5) throw new DriverError('busy', { transient: true })
    }
    const definition = traced([], ['one', 'two'], { two: { run: flaky } })
    const id = await bench.start(definition)
    // Nothing is due by itself while the test runs.
    const retryMs = 600_000
    const engine = bench.engine([definition], { retryMs, leaseMs: 10 * retryMs })
    await engine.start()
    for (let failures = 1; failures < 5; failures++) {
      await until(async () => asked.length === failures && (await bench.action(id)).worker === null)
      const { run_after } = await bench.action(id)
      const pauseMs = retryMs * 2 ** (failures - 1)
      const [earliest, latest] = [asked.at(-1)! + 0.75 * pauseMs, (await bench.now()) + 1.25 * pauseMs]
      assert.ok(earliest <= run_after && run_after <= latest, `${earliest} <= ${run_after} <= ${latest}`)
      await run(bench.db, 'update action set run_after = 0')
    }
    await engine.idle()
    assert.equal((await bench.action(id)).status, 'success')
    assert.deepEqual(await bench.commits(), ['one', 'two'])
  })

  test('each step has five attempts of its own', async () => {
    const bench = await open()
    let tries = 0
    const moody = async () => {
      if (++tries % 5 !== 0) throw new DriverError('busy', { transient: true })
    }
    const names = ['one', 'two', 'three']
    const definition = traced([], names, Object.fromEntries(names.map((name) => [name, { run: moody }])))
    const id = await bench.start(definition)
    await bench.engine([definition]).idle()
    assert.equal((await bench.action(id)).status, 'success')
    assert.equal(tries, 15)
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
    const machine = { call: () => (++calls % 6 === 0 ? Promise.resolve() : new Promise<void>(() => {})) }
    // However long a step takes besides, it has the infrastructure's time for itself.
    const run = async ({ drivers }: StepContext<never>) => {
      await delay(20)
      return (drivers as unknown as { machine: typeof machine }).machine.call()
    }
    const definition = traced([], ['one'], { one: { run } })
    const options = { callTimeoutMs: 5, drivers: { machine } as never }
    const failing = await bench.start(definition)
    await bench.engine([definition], options).idle()
    assert.equal(calls, 5)
    assert.equal((await bench.action(failing)).error_message, 'the infrastructure did not answer in time')
    const lucky = await bench.start(definition)
    await bench.engine([definition], options).idle()
    assert.equal((await bench.action(lucky)).status, 'success')
  })

  for (const fails of [false, true]) {
    test(`a call that may take hours is asked for until it ${fails ? 'fails' : 'has ended'}, however often`, async () => {
      const bench = await open()
      let calls = 0
      const ended = Promise.withResolvers<void>()
      const machine = {
        longCalls: new Set(['copy']),
        copy() {
          if (++calls < 8) return ended.promise
          if (fails) ended.reject(new DriverError('out of room', { transient: false }))
          else ended.resolve()
          return ended.promise
        },
      }
      const run = ({ drivers }: StepContext<never>) =>
        (drivers as unknown as { machine: typeof machine }).machine.copy()
      const effects: Effects = []
      const definition = traced(effects, ['one', 'two'], { two: { run } })
      const id = await bench.start(definition)
      await bench.engine([definition], { callTimeoutMs: 5, drivers: { machine } as never }).idle()
      const { status, error_message } = await bench.action(id)
      assert.deepEqual([status, error_message], fails ? ['error', 'out of room'] : ['success', null])
      assert.equal(calls, 8)
    })
  }

  test('an attempt that was given up calls no driver any more when something else that it waits for returns', async () => {
    const bench = await open()
    const calls: string[] = []
    const other = Promise.withResolvers<void>()
    const given: string[] = []
    const machine = {
      call(what: string) {
        calls.push(what)
        return calls.length === 1 ? new Promise<void>(() => {}) : Promise.resolve()
      },
    }
    const run = async ({ drivers }: StepContext<never>) => {
      const { machine } = drivers as unknown as { machine: { call(what: string): Promise<void> } }
      const isFirst = calls.length === 0
      const besides = async () => {
        if (isFirst) await other.promise
        await machine.call('two')
      }
      const two = besides().catch((error: Error) => void given.push(error.message))
      await machine.call('one')
      await two
    }
    const definition = traced([], ['both'], { both: { run } })
    const id = await bench.start(definition)
    await bench.engine([definition], { callTimeoutMs: 5, drivers: { machine } as never }).idle()
    assert.equal((await bench.action(id)).status, 'success')
    other.resolve()
    await until(() => given.length === 1)
    assert.deepEqual(given, ['this attempt was given up'])
    assert.deepEqual(calls, ['one', 'two', 'one'])
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
    let seed = 1
    const unreliable: Database = Object.create(bench.db, {
      transact: {
        async value(work: Parameters<Database['transact']>[0]) {
          seed = Math.imul(seed, 1_103_515_245) + 12_345
          const luck = (seed >>> 16) % 4
          if (luck === 0) throw new ApiError('unavailable', 'away')
          const result = await bench.db.transact(work)
          if (luck === 1) throw new OutcomeUnknown()
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
    const begun = await bench.action(id)
    await assert.rejects(
      bench.db.transact((tx) => advance(tx, { ...begun, fence: 7 }, { progress: 50 })),
      LeaseLost,
    )
    await bench.engine([definition]).idle()
    const ended = await bench.action(id)
    const claims = [ended, { ...ended, fence: ended.fence + 1 }, { ...ended, fence: 0 }]
    for (const claim of claims) {
      const change = bench.db.transact((tx) => advance(tx, claim, { progress: 50 }))
      await assert.rejects(change, LeaseLost)
      const end = bench.db.transact((tx) => finish(tx, claim, { status: 'error', error_code: 'action_failed' }))
      await assert.rejects(end, LeaseLost)
    }
    const past = bench.db.transact((tx) =>
      acrossProjects(tx.query).updateTable('action').set({ progress: 50 }).execute(),
    )
    await assert.rejects(past, /action_has_ended/)
    assert.deepEqual(await bench.action(id), ended)
  })
})
