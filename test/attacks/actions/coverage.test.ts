/**
 * Every action has a scenario, every method of every driver is reached by one, and every action outlasts its leases and
 * its process. What interrupts them is in interrupted.test.ts, and what fails outside in failing-calls.test.ts.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { simulate } from '../../../src/families.ts'
import { keyOf } from '../../../src/kernel/actions/define.ts'
import { Killed } from '../../../src/kernel/actions/run.ts'
import { checkConsistency } from '../../kit/consistency.ts'
import { until } from '../../kit/database/bare-database.ts'
import { forEachDatabase, type Open, type World, type WorldOptions } from '../../kit/harness.ts'
import type { Started } from '../../kit/proof.ts'
import {
  actionsOf,
  cleanRun,
  definitions,
  followed,
  forward,
  mapDrivers,
  openBench,
  pools,
  scenarios,
  unwinding,
} from '../kit/bench.ts'

test('every action has a scenario, and every scenario is of an action', () => {
  assert.deepEqual([...new Set(scenarios.map(({ key }) => key))].sort(), definitions.map(keyOf).sort())
})

forEachDatabase('every action', (open, engineName) => {
  test('every method of every driver that actions use is reached by a scenario, and every call can be made to go wrong', async () => {
    const bench = await openBench(open)
    const methods = new Set<string>()
    mapDrivers(bench.simulation, (name, method) => {
      methods.add(name)
      return method
    })
    const { certain, direct } = bench.simulation
    for (const name of [...certain, ...direct]) assert.ok(methods.delete(name), `there is no ${name}`)
    const missing = () => [...methods].filter((name) => !bench.reached.has(name)).sort()
    const last = new Map<(typeof scenarios)[number], number | undefined>()
    for (const scenario of scenarios) last.set(scenario, (await cleanRun(bench, scenario, forward)).fatal.at(-1))
    // Some methods are called only when an action is taken back.
    for (const [scenario, call] of last) {
      if (call !== undefined && missing().length > 0) await cleanRun(bench, scenario, unwinding(call))
    }
    const attacked = new Set(bench.calls.map(({ driver, method }) => `${driver}.${method}`))
    assert.deepEqual(missing(), [])
    assert.deepEqual([...attacked].sort(), [...methods].sort())
  })

  test('a call that takes three leases is waited for', async () => {
    const leaseMs = 200
    const { simulation } = followed(simulate({ delayMs: 0, slowMs: 3 * leaseMs }))
    const world = await open({ addressPool: pools, simulation, engine: { leaseMs } })
    const idle = () => until(async () => (await countRunning(world)) === 0, 'every action is over')
    // One after another: many that look at the database at the same time, for nobody's Project, come before all Projects.
    const prepared: Started[] = []
    for (const { prepare } of scenarios) prepared.push(await prepare({ ...world, settle: idle }))
    simulation.behave(() => 'slow')
    const started = await Promise.all(prepared.map((one) => one.act(world.api)))
    await idle()
    for (const { status } of await actionsOf(
      world,
      started.flat().map(({ id }) => id),
    ))
      assert.equal(status, 'success')
    await checkConsistency(world, { pendingToo: true })
  })

  test('a new process goes on where the one before it was killed', async () => {
    const dir = engineName === 'sqlite' ? mkdtempSync(join(tmpdir(), 'wolke-test-')) : undefined
    try {
      const file = dir ? { database: { engine: 'sqlite', path: join(dir, 'wolke.db') } as const } : {}
      await killAndReopen(open, file)
    } finally {
      if (dir) rmSync(dir, { recursive: true })
    }
  })
})

async function countRunning({ db }: World): Promise<number> {
  const { rows } = await sql<{ id: number }>`select id from action where status = 'running'`.execute(db.query)
  return rows.length
}

/** Every scenario at once, each killed between an effect and its record; the leases end by themselves. */
async function killAndReopen(open: Open, options: WorldOptions): Promise<void> {
  // Long enough that a busy machine loses few: an action that lost twenty is given up.
  const leaseMs = 1_000
  let armed = false
  const reach = (place: string) => {
    if (armed && place.endsWith(':after-effect')) throw new Killed(place)
  }
  const first = await open({
    addressPool: pools,
    runActions: false,
    faults: { reach },
    engine: { leaseMs },
    ...options,
  })
  const prepared: Started[] = []
  for (const { prepare } of scenarios) prepared.push(await prepare(first))
  const started = (await Promise.all(prepared.map((one) => one.act(first.api)))).flat().map(({ id }) => id)
  const running = await countRunning(first)
  armed = true
  await first.settle()
  assert.ok(running > 0 && (await countRunning(first)) >= running / 2, 'nothing was killed')
  await first.stop()
  const { database, simulation } = first
  const second = await open({ database, simulation, engine: { leaseMs } })
  await until(async () => (await countRunning(second)) === 0, 'every action is over')
  const failed = (await actionsOf(second, started)).filter(({ status }) => status !== 'success')
  assert.deepEqual(
    failed.map(({ definition, error_message: message }) => [definition, message]),
    [],
  )
  await checkConsistency(second, { pendingToo: true })
  await second.stop()
}
