/**
 * Every action against everything that can happen to it: its worker is killed, or stands still and comes back late, at
 * each place that it passes; each call to the driver goes wrong in each way. Places and calls are found by a clean run
 * of the scenario, so a new step is covered by itself; an action without a scenario fails.
 *
 * The second worker is a second `Engine` over the same database and the same infrastructure; that a whole new process
 * goes on just so is the subject of one more test.
 */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { type Behaviour, behaviours, type Call } from '../../src/drivers/simulated/simulation.ts'
import { families, type Simulation, simulate } from '../../src/families.ts'
import { keyOf } from '../../src/kernel/actions/define.ts'
import { Engine } from '../../src/kernel/actions/engine.ts'
import { Killed } from '../../src/kernel/actions/run.ts'
import type { ActionRow } from '../../src/kernel/actions/tables.ts'
import { acrossProjects } from '../../src/kernel/data/scoped.ts'
import { type Faults, noFaults } from '../../src/kernel/process/faults.ts'
import { openLog } from '../../src/kernel/process/log.ts'
import { until } from '../bare-database.ts'
import { checkConsistency } from '../consistency.ts'
import { type EngineName, forEachDatabase, type Open, type World, type WorldOptions } from '../harness.ts'
import type { Started } from '../proof.ts'
import { actionScenarios } from '../proofs.ts'

const definitions = families.flatMap((family) => family.actions)
const scenarios = Object.entries(actionScenarios).map(([name, prepare]) => ({
  name,
  key: name.split(' ')[0]!,
  prepare,
}))
type Scenario = (typeof scenarios)[number]

/** Where calls go wrong, one that takes longer than this counts as failed; a slow one comes to its effect after that. */
const shortMs = 60
const slowMs = 150
/** Elsewhere no machine is so slow that a call counts as failed. */
const longMs = 30_000

// ---- The bench -----------------------------------------------------------------------------------------------------

/** How the calls about the resources of one operation go, by their number, from 0. */
type Plan = (index: number) => Behaviour | undefined

interface Bench {
  readonly world: World
  readonly simulation: Simulation
  /** Another worker over the same database and infrastructure. */
  worker(faults?: Faults, callTimeoutMs?: number): Engine
  /** Sets how the calls about some resources go from now on. */
  plan(subjects: Iterable<number>, plan: Plan): void
  /** Calls so far, about whatever. */
  readonly calls: Call[]
  /** Each method of a driver that was called, as `driver.method`. */
  readonly reached: ReadonlySet<string>
  /** Waits until every call that will ever have its effect has had it. */
  landed(): Promise<void>
}

const pools = ['10.0.0.0/16', '2001:db8::/32']

async function openBench(open: Open, options: WorldOptions = {}): Promise<Bench> {
  const { simulation, reached, landed } = followed(simulate({ delayMs: 0, slowMs }))
  const world = await open({ addressPool: pools, runActions: false, simulation, ...options })
  const calls: Call[] = []
  const plans = new Map<number, { readonly plan: Plan; next: number }>()
  simulation.behave((call) => {
    calls.push(call)
    const known = plans.get(call.subject)
    return known?.plan(known.next++)
  })
  return {
    world,
    simulation,
    worker: (faults = noFaults, callTimeoutMs = longMs) =>
      new Engine({
        db: world.db,
        drivers: simulation.drivers,
        secrets: world.secrets,
        log: openLog('silent'),
        definitions,
        faults,
        callTimeoutMs,
        retryMs: 1,
      }),
    plan(subjects, plan) {
      const shared = { plan, next: 0 }
      for (const subject of subjects) plans.set(subject, shared)
    },
    calls,
    reached,
    landed,
  }
}

/** The simulation with its calls followed, those among them that nobody waits for any more. */
function followed(simulation: Simulation) {
  const reached = new Set<string>()
  const pending = new Set<Promise<unknown>>()
  const follow = (name: string, call: (...args: unknown[]) => Promise<unknown>) => {
    return (...args: unknown[]) => {
      reached.add(name)
      const result = call(...args)
      const landed: Promise<unknown> = result.catch(() => undefined).finally(() => pending.delete(landed))
      pending.add(landed)
      return result
    }
  }
  const drivers = mapDrivers(simulation, follow)
  const patience = () => new Promise((resolve) => setTimeout(resolve, slowMs + 20))
  return {
    simulation: { ...simulation, drivers },
    reached: reached as ReadonlySet<string>,
    // Those that never return are still there afterwards.
    landed: async () => void (pending.size > 0 && (await Promise.race([Promise.all(pending), patience()]))),
  }
}

type Method = (...args: unknown[]) => Promise<unknown>

/** All drivers with each method replaced by what `change` makes of it; it is told `driver.method`. */
function mapDrivers({ drivers }: Simulation, change: (name: string, method: Method) => Method): Simulation['drivers'] {
  const changed = Object.entries(drivers).map(([driver, methods]) => {
    const entries: [string, Method][] = Object.entries(methods as object)
    return [driver, Object.fromEntries(entries.map(([name, method]) => [name, change(`${driver}.${name}`, method)]))]
  })
  return Object.fromEntries(changed)
}

async function actionsOf({ db }: World, ids: readonly number[]): Promise<ActionRow[]> {
  return acrossProjects(db.query).selectFrom('action').selectAll().where('id', 'in', ids).orderBy('id').execute()
}

/** As if so much time had passed that every lease is over. */
async function endLeases({ db }: World): Promise<void> {
  const statement = sql`update action set lease_until = 1 where status = 'running' and lease_until is not null`
  await db.transact((tx) => statement.execute(tx.query))
}

async function act({ world }: Bench, started: Started): Promise<{ ids: number[]; subjects: Set<number> }> {
  const actions = await started.act(world.api)
  return { ids: actions.map(({ id }) => id), subjects: new Set(actions.flatMap(({ subjects }) => subjects)) }
}

/** Watches the progress of some actions at each place that any of the workers reaches. */
function progressWatch({ world }: Bench, ids: readonly number[]) {
  const last = new Map<number, number>()
  return async () => {
    for (const { id, progress } of await actionsOf(world, ids)) {
      assert.ok(progress >= (last.get(id) ?? 0), `the progress of ${id} decreased`)
      last.set(id, progress)
    }
  }
}

/** Nothing runs and nothing is held, whatever became of the infrastructure. */
async function checkResting({ db }: World): Promise<void> {
  const { rows } = await sql`
    select id from action where status = 'running' union all select action_id from resource_lock
    union all select action_id from action_serial
  `.execute(db.query)
  assert.deepEqual(rows, [])
}

async function endOf({ world }: Bench, ids: readonly number[]): Promise<'success' | 'error'> {
  return (await actionsOf(world, ids)).some(({ status }) => status === 'error') ? 'error' : 'success'
}

async function assertEnded({ world }: Bench, ids: readonly number[], end: 'success' | 'error'): Promise<void> {
  const actions = await actionsOf(world, ids)
  assert.equal(actions.length, ids.length)
  for (const { definition, status, progress, finished, error_code } of actions) {
    assert.notEqual(status, 'running', definition)
    assert.notEqual(finished, null)
    if (status === 'error') assert.equal(error_code, 'action_failed', definition)
    else assert.deepEqual([progress, error_code], [100, null], definition)
  }
  if (end === 'error')
    assert.ok(
      actions.some(({ status }) => status === 'error'),
      'nothing failed',
    )
  else
    assert.deepEqual(
      actions.filter(({ status }) => status === 'error').map(({ definition }) => definition),
      [],
    )
}

/** Does an operation once more after it failed; nothing stands in its way and this time it succeeds. */
async function actAgain(bench: Bench, failed: readonly { name: string; started: Started }[]): Promise<string[]> {
  const failures: string[] = []
  const running = await Promise.all(
    failed.map(({ name, started }) =>
      act(bench, started).catch((error: Error) => void failures.push(`${name}, again: ${error.message}`)),
    ),
  )
  await bench.worker().idle()
  const ids = running.flatMap((one) => one?.ids ?? [])
  if (ids.length > 0) await assertEnded(bench, ids, 'success')
  return failures
}

// ---- Killed workers ------------------------------------------------------------------------------------------------

/** What happens to the calls of a scenario while its workers are killed. */
interface Way {
  readonly name: string
  readonly end: 'success' | 'error'
  readonly plan: Plan
}

const forward: Way = { name: 'forward', end: 'success', plan: () => undefined }

const unwinding = (call: number): Way => ({
  name: `unwinding after call ${call}`,
  end: 'error',
  plan: (index) => (index === call ? 'error after effect' : undefined),
})

/** One run of a scenario with nothing in its way: the places that it passes and the number of calls that it makes. */
async function cleanRun(bench: Bench, { key, prepare }: Scenario, way: Way) {
  const { ids, subjects } = await act(bench, await prepare(bench.world))
  const places: string[] = []
  const before = bench.calls.length
  bench.plan(subjects, way.plan)
  await bench.worker({ reach: (place) => void places.push(place) }).idle()
  const found = (await actionsOf(bench.world, ids)).map(({ definition }) => definition)
  assert.ok(found.includes(key), `it starts ${found.join(', ')}`)
  await assertEnded(bench, ids, way.end)
  return {
    places: [...new Set(places)],
    calls: bench.calls.slice(before).filter(({ subject }) => subjects.has(subject)).length,
  }
}

/** How a worker leaves the scene at a place. */
type Exit = (bench: Bench, place: string, look: () => Promise<void>) => Promise<void>

/** The worker dies there; another one finds what it left when the lease has ended. */
const killed: Exit = async (bench, place, look) => {
  let deaths = 0
  const reach = async (reached: string) => {
    await look()
    if (reached !== place || deaths > 0) return
    deaths++
    throw new Killed(place)
  }
  await bench.worker({ reach }).idle()
  assert.equal(deaths, 1, 'the place was not reached')
  await endLeases(bench.world)
  await bench.worker({ reach: look }).idle()
}

/** Holds a worker up where `isHere` says so for the first time. */
function holdUp(isHere: (place: string) => boolean, look: () => Promise<void> = async () => undefined) {
  const arrival = Promise.withResolvers<void>()
  const leave = Promise.withResolvers<void>()
  let hasCome = false
  const reach = async (place: string) => {
    await look()
    if (hasCome || !isHere(place)) return
    hasCome = true
    arrival.resolve()
    await leave.promise
  }
  return { faults: { reach }, arrived: arrival.promise, release: () => leave.resolve() }
}

/** The worker stands still there for longer than its lease, and goes on when another one has done its work. */
const stalled: Exit = async (bench, place, look) => {
  const hold = holdUp((reached) => reached === place)
  const late = bench.worker(hold.faults).idle()
  await Promise.race([hold.arrived, late.then(() => assert.fail('the place was not reached'))])
  await endLeases(bench.world)
  await bench.worker({ reach: look }).idle()
  hold.release()
  await late
}

/** It goes on while the other one is at work: what it then does is not recorded. */
const overtaken: Exit = async (bench, place, look) => {
  const hold = holdUp((reached) => reached === place)
  const late = bench.worker(hold.faults).idle()
  await Promise.race([hold.arrived, late.then(() => assert.fail('the place was not reached'))])
  await endLeases(bench.world)
  const isSame = (reached: string) => reached.startsWith(`${place.split('#')[0]}#`)
  const other = holdUp(isSame, look)
  const next = bench.worker(other.faults).idle()
  await Promise.race([other.arrived, next])
  const records = () => acrossProjects(bench.world.db.query).selectFrom('action').selectAll().orderBy('id').execute()
  // Only the action in which it stood still: others that follow from it go on in their own right.
  const before = (await records()).filter(({ definition }) => place.startsWith(`${definition}#`))
  hold.release()
  await late
  const after = (await records()).filter(({ id }) => before.some((row) => row.id === id))
  assert.deepEqual(after, before, 'a worker that was replaced has recorded something')
  other.release()
  await next
}

const exits: Readonly<Record<string, Exit>> = {
  'a worker killed at any place, forward or unwinding, is replaced by one that brings it to its end': killed,
  'a worker that comes back when another one has done its work, at any place, changes nothing': stalled,
  'a worker that comes back while another one is at work, at any place, changes nothing': overtaken,
}

/**
 * SQLite has one process, whose workers can only die. On PostgreSQL, one that stalls leaves the next worker what a dead
 * one leaves. The long form runs each way on each database all the same.
 */
const exitsOn: Readonly<Record<EngineName, readonly Exit[]>> = { sqlite: [killed], postgres: [stalled, overtaken] }
const isLong = process.env.WOLKE_TEST_LONG === '1'

async function interrupt(bench: Bench, scenario: Scenario, way: Way, place: string, exit: Exit): Promise<void> {
  const { ids, subjects } = await act(bench, await scenario.prepare(bench.world))
  bench.plan(subjects, way.plan)
  await exit(bench, place, progressWatch(bench, ids))
  // A failure that only the late worker met is nobody's any more.
  await assertEnded(bench, ids, way.end === 'error' && exit === overtaken ? await endOf(bench, ids) : way.end)
}

/** Whether a place belongs to the action that is taken back; what passed before it is as on the way forward. */
function isOfUnwinding(place: string, places: readonly string[]): boolean {
  return places.includes(`${place.split('#')[0]}#revert:after-commit`)
}

/** Whether the action that is taken back is only a part of this scenario and has one of its own. */
function isOfAnother({ key }: Scenario, places: readonly string[]): boolean {
  const [definition] = definitions.filter((one) => keyOf(one) === key)
  return definition!.steps.length > 0 && !isOfUnwinding(key, places)
}

/** Returns the places at which a worker left the scene. */
async function interruptScenario(bench: Bench, scenario: Scenario, exit: Exit): Promise<string[]> {
  const { calls } = await cleanRun(bench, scenario, forward)
  const passed: string[] = []
  for (const way of [forward, ...Array.from({ length: calls }, (_, call) => unwinding(call))]) {
    const { places } = await cleanRun(bench, scenario, way)
    if (way !== forward && isOfAnother(scenario, places)) continue
    for (const place of places.filter((one) => !passed.includes(one) || isOfUnwinding(one, places))) {
      await interrupt(bench, scenario, way, place, exit).catch((error: Error) => {
        throw new Error(`${way.name} at ${place}: ${error.message}`, { cause: error })
      })
    }
    passed.push(...places)
  }
  await checkConsistency(bench.world, { pendingToo: true })
  return passed
}

/** Every place that there is: before and after each effect and each record, of steps, their undoing and reverts. */
function allPlaces(): string[] {
  const moments = ['before-effect', 'after-effect', 'after-commit']
  return definitions.flatMap((definition) =>
    definition.steps.flatMap(({ name, undo }) => [
      ...moments.map((moment) => `${keyOf(definition)}#${name}:${moment}`),
      ...(undo ? moments.map((moment) => `${keyOf(definition)}#${name}-undo:${moment}`) : []),
      `${keyOf(definition)}#revert:after-commit`,
    ]),
  )
}

async function interruptEverywhere(open: Open, exit: Exit): Promise<void> {
  const bench = await openBench(open)
  const passed = new Set<string>()
  const failures: string[] = []
  for (const scenario of scenarios) {
    try {
      for (const place of await interruptScenario(bench, scenario, exit)) passed.add(place)
    } catch (error) {
      failures.push(`${scenario.name}: ${(error as Error).message}`)
    }
  }
  assert.equal(failures.length, 0, failures.join('\n\n'))
  assert.deepEqual([...passed].sort(), [...new Set(allPlaces())].sort())
}

// ---- Drivers that misbehave ----------------------------------------------------------------------------------------

/** One call of a scenario goes wrong in one way: only once, or from then on for good. */
interface Mishap {
  readonly name: string
  readonly scenario: Scenario
  readonly plan: Plan
}

async function mishaps(bench: Bench, forGood: boolean): Promise<Mishap[]> {
  const all: Mishap[] = []
  for (const scenario of scenarios) {
    const started = await act(bench, await scenario.prepare(bench.world))
    const before = bench.calls.length
    await bench.worker().idle()
    const calls = bench.calls.slice(before).filter(({ subject }) => started.subjects.has(subject))
    for (let call = 0; call < calls.length; call++) {
      for (const behaviour of behaviours) {
        const plan: Plan = (index) => (index === call || (forGood && index > call) ? behaviour : undefined)
        all.push({ name: `${scenario.name} call ${call} ${behaviour}`, scenario, plan })
      }
    }
    await assertEnded(bench, started.ids, 'success')
  }
  return all
}

/** Some at the same time, each on its own servers. */
async function misbehave(bench: Bench, all: readonly Mishap[]): Promise<void> {
  const atOnce = 32
  let failed = 0
  for (let from = 0; from < all.length; from += atOnce) {
    failed += await misbehaveTogether(bench, all.slice(from, from + atOnce))
  }
  // Not each call comes in each run: how often an authority is asked depends on how soon it is ready.
  assert.ok(failed >= all.length / behaviours.length, 'errors are not repeated, so some have failed')
}

/** Returns how many of them ended as errors. */
async function misbehaveTogether(bench: Bench, all: readonly Mishap[]): Promise<number> {
  const prepared = await Promise.all(all.map((mishap) => mishap.scenario.prepare(bench.world)))
  const running = await Promise.all(prepared.map((started) => act(bench, started)))
  all.forEach(({ plan }, i) => {
    bench.plan(running[i]!.subjects, plan)
  })
  await bench.worker(noFaults, shortMs).idle()
  await bench.landed()
  for (const { subjects } of running) bench.plan(subjects, () => undefined)
  await checkResting(bench.world)
  const failed: { name: string; started: Started }[] = []
  for (const [i, { name }] of all.entries()) {
    const { ids } = running[i]!
    const end = await endOf(bench, ids)
    await assertEnded(bench, ids, end)
    if (end === 'error') failed.push({ name, started: prepared[i]! })
  }
  assert.deepEqual(await actAgain(bench, failed), [])
  return failed.length
}

// ---- The tests -----------------------------------------------------------------------------------------------------

test('every action has a scenario, and every scenario is of an action', () => {
  assert.deepEqual([...new Set(scenarios.map(({ key }) => key))].sort(), definitions.map(keyOf).sort())
})

forEachDatabase('every action', (open, engineName) => {
  test('every method of every driver is reached by a scenario, and every call can be made to go wrong', async () => {
    const bench = await openBench(open)
    for (const scenario of scenarios) await cleanRun(bench, scenario, forward)
    const methods = new Set<string>()
    mapDrivers(bench.simulation, (name, method) => {
      methods.add(name)
      return method
    })
    for (const name of bench.simulation.certain) assert.ok(methods.delete(name), `there is no ${name}`)
    const attacked = new Set(bench.calls.map(({ driver, method }) => `${driver}.${method}`))
    assert.deepEqual([...methods].filter((name) => !bench.reached.has(name)).sort(), [])
    assert.deepEqual([...attacked].sort(), [...methods].sort())
  })

  for (const [name, exit] of Object.entries(exits)) {
    if (isLong || exitsOn[engineName].includes(exit)) test(name, () => interruptEverywhere(open, exit))
  }

  test('whatever the driver does once, the action ends, nothing stays held, and the operation can be done', async () => {
    const bench = await openBench(open)
    await misbehave(bench, await mishaps(bench, false))
    await checkConsistency(bench.world, { pendingToo: true })
  })

  test('whatever the driver does for good, the action ends, nothing stays held, and later the operation can be done', async () => {
    const bench = await openBench(open)
    await misbehave(bench, await mishaps(bench, true))
  })

  test('a call that takes three leases is waited for', async () => {
    const leaseMs = 60
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
  const leaseMs = 150
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
  for (const { status } of await actionsOf(second, started)) assert.equal(status, 'success')
  await checkConsistency(second, { pendingToo: true })
  await second.stop()
}
