/** What operators see of actions that wait, and what becomes of those from which they take something. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachBareDatabase, gate, until } from '../../../test/kit/database/bare-database.ts'
import { type Effects, openBench, traced } from '../../../test/kit/samples/action-bench.ts'
import { ApiError } from '../errors.ts'
import { processName } from '../process/identity.ts'
import { LeaseLost } from '../queue/leases.ts'
import { claimActions, finish } from './claims.ts'
import { type ActionDefinition, DriverError, defineAction } from './define.ts'
import { NotLetGo, releaseLease, releaseLock, releaseQueue, retryAction } from './letting-go.ts'
import {
  actionById,
  definitionsByKey,
  explain,
  heldActions,
  locksOfAll,
  openActionsOf,
  queueByProject,
  queuesOf,
} from './waiting.ts'

const thing = { type: 'thing', id: 1 }
const lasting = { leaseMs: 60_000, longestMs: 120_000 }

forEachBareDatabase('letting go of actions', (openBare) => {
  const open = async () => {
    const bench = await openBench(await openBare())
    const effects: Effects = []
    const definition = traced(effects, ['one', 'two'])
    const know = definitionsByKey([definition])
    const claim = () =>
      claimActions(bench.db, { worker: 'elsewhere:7:ab', definitions: ['things/change_thing'], ...lasting }, 1)
    const look = async () => (await openActionsOf(bench.db, know, { limit: 10 })).map((one) => [one.id, one.waitsFor])
    return { ...bench, effects, definition, know, claim, look }
  }
  const refusal = (message: RegExp) => (error: unknown) => error instanceof NotLetGo && message.test(error.message)

  test('says of each running action what it waits for', async () => {
    const { db, start, definition, know, claim, look, scope } = await open()
    const first = await start(definition, { serial: [thing], locks: [thing] })
    const second = await start(definition, { serial: [thing] })
    assert.deepEqual(await look(), [
      [first, 'worker'],
      [second, 'queue'],
    ])
    const [held] = await claim()
    assert.equal(held!.id, first)
    assert.deepEqual(await look(), [
      [first, 'driver'],
      [second, 'queue'],
    ])
    const [one, two] = await openActionsOf(db, know, { limit: 10, projectId: scope.projectId })
    assert.deepEqual([one!.stepName, one!.worker], ['one', 'elsewhere:7:ab'])
    assert.deepEqual(two!.behind, { key: 'thing:1', action: first })
    const [unknown] = await explain(db, new Map(), [{ ...two!, id: 0 }])
    assert.equal(unknown!.waitsFor, 'version')
    assert.deepEqual(await queuesOf(db.query), [{ key: 'thing:1', actions: [first, second] }])
    assert.deepEqual(
      (await locksOfAll(db.query)).map(({ type, action_id }) => [type, Number(action_id)]),
      [['thing', first]],
    )
    const [queue] = await queueByProject(db.query)
    assert.deepEqual([queue!.actions, queue!.held], [2, 1])
    assert.deepEqual(
      (await heldActions(db.query)).map(({ id }) => id),
      [first],
    )
  })

  test('lets the next worker take what was released, and the old holder writes nothing more', async () => {
    const { db, start, definition, claim, action, engine } = await open()
    const id = await start(definition)
    const [held] = await claim()
    await db.transact((tx) => releaseLease(tx, id))
    const { worker, fence } = await action(id)
    assert.deepEqual([worker, fence > held!.fence], [null, true])
    await assert.rejects(
      db.transact((tx) => finish(tx, held!, { status: 'success' })),
      LeaseLost,
    )
    await assert.rejects(
      db.transact((tx) => releaseLease(tx, id)),
      refusal(/^nobody holds action \d+$/),
    )
    await engine([definition]).idle()
    assert.equal((await action(id)).status, 'success')
    await assert.rejects(
      db.transact((tx) => releaseLease(tx, id)),
      refusal(/has ended: nobody holds it$/),
    )
    await assert.rejects(
      db.transact((tx) => releaseLease(tx, 1)),
      refusal(/^there is no action 1$/),
    )
  })

  test('lets an action that waits for another attempt go on at once, with all of its attempts', async () => {
    const { db, start, action, engine, know } = await open()
    let fails = true
    const definition = defineAction({
      command: 'change_thing',
      family: 'things',
      steps: [
        {
          name: 'call',
          async run() {
            if (fails) throw new DriverError('away', { transient: true })
          },
        },
      ],
    })
    const worker = engine([definition], { retryMs: 30_000 })
    const id = await start(definition)
    await worker.start()
    await until(async () => (await action(id)).run_after > 0)
    const [waiting] = await openActionsOf(db, know, { limit: 1 })
    assert.deepEqual([waiting!.waitsFor, waiting!.attempts], ['backoff', 1])
    assert.ok(waiting!.until! > 0)
    fails = false
    await db.transact((tx) => retryAction(tx, id, () => definition))
    await until(async () => (await action(id)).status === 'success')
    await assert.rejects(
      db.transact((tx) => retryAction(tx, id, () => definition)),
      refusal(/has ended well/),
    )
  })

  test('does a failed action again only where nothing was taken back', async () => {
    const { db, start, action, engine, definition, claim } = await open()
    let fails = true
    const plain: ActionDefinition = defineAction({
      command: 'remove_thing',
      family: 'things',
      steps: [
        {
          name: 'remove',
          async run() {
            if (fails) throw new DriverError('no such thing', { transient: false })
          },
        },
      ],
    })
    const id = await start(plain)
    await engine([plain]).idle()
    assert.equal((await action(id)).status, 'error')
    await assert.rejects(
      db.transact((tx) => retryAction(tx, id, () => undefined)),
      refusal(/this one does not know remove_thing/),
    )
    await assert.rejects(
      db.transact((tx) => retryAction(tx, id, () => definition)),
      refusal(/what it wanted was taken back: ask for it again/),
    )
    const other = await start(definition, { locks: [thing] })
    await assert.rejects(
      db.transact((tx) => retryAction(tx, id, () => plain)),
      (error) => error instanceof ApiError && error.code === 'locked',
    )
    await claim()
    await assert.rejects(
      db.transact((tx) => retryAction(tx, other, () => definition)),
      refusal(/^elsewhere:7:ab runs action \d+: wolke leases release/),
    )
    await db
      .transact((tx) => releaseLock(tx, thing))
      .then(
        () => assert.fail('its worker counts on it'),
        (error) => assert.ok(refusal(/counts on it: first wolke leases release/)(error)),
      )
    await db.transact((tx) => releaseLease(tx, other))
    assert.deepEqual((await db.transact((tx) => releaseLock(tx, thing))).id, other)
    fails = false
    const again = await db.transact((tx) => retryAction(tx, id, () => plain))
    assert.notEqual(again.id, id)
    await engine([plain, definition]).idle()
    assert.deepEqual([(await action(again.id)).status, (await action(id)).status], ['success', 'error'])
    assert.equal((await actionById(db.query, again.id))!.status, 'success')
  })

  test('keeps a lock while a worker runs an action before the one that has it', async () => {
    const { db, start, definition, claim } = await open()
    const first = await start(definition, { serial: [thing] })
    const last = await start(definition, { serial: [thing], locks: [thing] })
    await claim()
    await assert.rejects(
      db.transact((tx) => releaseLock(tx, thing)),
      refusal(new RegExp(`runs action ${first}, which counts on it`)),
    )
    await db.transact((tx) => releaseLease(tx, first))
    assert.equal((await db.transact((tx) => releaseLock(tx, thing))).id, last)
  })

  test('opens locks and queues that somebody has, and says of others that nobody does', async () => {
    const { db, start, definition, look, held } = await open()
    const first = await start(definition, { serial: [thing] })
    const second = await start(definition, { serial: [thing] })
    await assert.rejects(
      db.transact((tx) => releaseLock(tx, thing)),
      refusal(/^no action locks thing 1$/),
    )
    assert.equal((await db.transact((tx) => releaseQueue(tx, 'thing:1'))).id, first)
    assert.deepEqual(await look(), [
      [first, 'worker'],
      [second, 'worker'],
    ])
    await db.transact((tx) => releaseQueue(tx, 'thing:1'))
    assert.equal(await held(), 0)
    await assert.rejects(
      db.transact((tx) => releaseQueue(tx, 'thing:1')),
      refusal(/^nobody waits in the queue|^nothing waits in the queue thing:1$/),
    )
  })

  test('names workers by their machine and process', async () => {
    const { start, engine, action } = await open()
    const door = gate()
    const definition = traced([], ['one'], { one: { run: () => door.pass() } })
    const worker = engine([definition])
    const id = await start(definition)
    await worker.start()
    await until(async () => (await action(id)).worker !== null)
    assert.equal((await action(id)).worker!.slice(0, processName.length + 1), `${processName}:`)
    door.open()
    await worker.idle()
  })
})
