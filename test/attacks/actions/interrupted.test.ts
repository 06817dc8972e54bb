/**
 * Every action while its workers are killed, or stand still and come back late, at each place that it passes, forward and
 * unwinding. The second worker is a second `Engine` over the same database and the same infrastructure.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { keyOf } from '../../../src/kernel/actions/define.ts'
import { Killed } from '../../../src/kernel/actions/run.ts'
import { acrossProjects } from '../../../src/kernel/data/scoped.ts'
import { checkConsistency } from '../../kit/consistency.ts'
import { type EngineName, forEachDatabase, type Open, type World } from '../../kit/harness.ts'
import { each } from '../../kit/requests.ts'
import { isLong } from '../../run/long.ts'
import {
  act,
  actionsOf,
  assertEnded,
  type Bench,
  cleanRun,
  definitions,
  endOf,
  forward,
  openBench,
  type Scenario,
  scenarios,
  unwinding,
  type Way,
} from '../kit/bench.ts'

/** As if so much time had passed that every lease is over. */
async function endLeases({ db }: World): Promise<void> {
  const statement = sql`update action set lease_until = 1 where status = 'running' and lease_until is not null`
  await db.transact((tx) => statement.execute(tx.query))
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

/** Where a worker leaves the scene. */
interface Scene {
  readonly place: string
  /** The id of the first action of the operation. */
  readonly first: number
  /** Looks at the actions, wherever a worker passes. */
  look(): Promise<void>
}

/** How it leaves. */
type Exit = (bench: Bench, scene: Scene) => Promise<void>

/** The worker dies there; another one finds what it left when the lease has ended. */
const killed: Exit = async (bench, { place, look }) => {
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
const stalled: Exit = async (bench, { place, look }) => {
  const hold = holdUp((reached) => reached === place)
  const late = bench.worker(hold.faults).idle()
  await Promise.race([hold.arrived, late.then(() => assert.fail('the place was not reached'))])
  await endLeases(bench.world)
  await bench.worker({ reach: look }).idle()
  hold.release()
  await late
}

/** It goes on while the other one is at work: what it then does is not recorded. */
const overtaken: Exit = async (bench, { place, first, look }) => {
  const hold = holdUp((reached) => reached === place)
  const late = bench.worker(hold.faults).idle()
  await Promise.race([hold.arrived, late.then(() => assert.fail('the place was not reached'))])
  await endLeases(bench.world)
  const isSame = (reached: string) => reached.startsWith(`${place.split('#')[0]}#`)
  const other = holdUp(isSame, look)
  const next = bench.worker(other.faults).idle()
  await Promise.race([other.arrived, next])
  // Only the action in which it stood still: others that follow from it go on in their own right.
  const records = () =>
    acrossProjects(bench.world.db.query)
      .selectFrom('action')
      .selectAll()
      .where('definition', '=', place.split('#')[0]!)
      .where('id', '>=', first)
      .orderBy('id')
      .execute()
  const before = await records()
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

const anywhere = /./

/**
 * Where which worker leaves. SQLite has one process, whose workers can only die. On PostgreSQL, one that stalls leaves the
 * next worker what a dead one leaves; late, it first has its effect again or, after a commit, finds itself replaced, as
 * it does while another one is at work. The long form runs each way everywhere on each database all the same.
 */
const scenesOn: Readonly<Record<EngineName, ReadonlyMap<Exit, RegExp>>> = {
  sqlite: new Map([[killed, anywhere]]),
  postgres: new Map([
    [stalled, /-effect$/],
    [overtaken, /:after-/],
  ]),
}

async function interrupt(bench: Bench, scenario: Scenario, way: Way, place: string, exit: Exit): Promise<void> {
  const { ids, subjects } = await act(bench, await scenario.prepare(bench.world))
  bench.plan(subjects, way.plan)
  await exit(bench, { place, first: Math.min(...ids), look: progressWatch(bench, ids) })
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

/** Returns the places that a scenario passes. */
async function interruptScenario(bench: Bench, scenario: Scenario, exit: Exit, where: RegExp): Promise<string[]> {
  const run = await cleanRun(bench, scenario, forward)
  const passed: string[] = []
  for (const way of [forward, ...run.fatal.map(unwinding)]) {
    const { places } = way === forward ? run : await cleanRun(bench, scenario, way)
    if (way !== forward && isOfAnother(scenario, places)) continue
    const isNew = (place: string) => !passed.includes(place) || isOfUnwinding(place, places)
    for (const place of places.filter((one) => where.test(one) && isNew(one))) {
      await interrupt(bench, scenario, way, place, exit).catch((error: Error) => {
        throw new Error(`${way.name} at ${place}: ${error.message}`, { cause: error })
      })
    }
    passed.push(...places)
  }
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

async function interruptEverywhere(open: Open, exit: Exit, where: RegExp): Promise<void> {
  const bench = await openBench(open)
  const passed = new Set<string>()
  const families = Map.groupBy(scenarios, ({ key }) => key.split('/')[0]!)
  await each(
    [...families].map(([name, some]) => ({ name, some })),
    async ({ some }) => {
      await each(some, async (scenario) => {
        for (const place of await interruptScenario(bench, scenario, exit, where)) passed.add(place)
      })
      await checkConsistency(bench.world, { pendingToo: true })
    },
  )
  assert.deepEqual([...passed].sort(), [...new Set(allPlaces())].sort())
}

forEachDatabase('every action', (open, engineName) => {
  for (const [name, exit] of Object.entries(exits)) {
    const where = isLong ? anywhere : scenesOn[engineName].get(exit)
    if (where) test(name, () => interruptEverywhere(open, exit, where))
  }
})
