/**
 * The bench for attacks on every action: a world whose actions run when the test says so, workers that can be held up,
 * and an infrastructure whose calls go as planned. Places and calls are found by a clean run of a scenario, so that a new
 * step is covered by itself.
 */
import assert from 'node:assert/strict'
import type { Behaviour, Call } from '../../../src/drivers/simulated/simulation.ts'
import { families, type Simulation, simulate } from '../../../src/families.ts'
import { Engine } from '../../../src/kernel/actions/engine.ts'
import type { ActionRow } from '../../../src/kernel/actions/tables.ts'
import { acrossProjects } from '../../../src/kernel/data/scoped.ts'
import { type Faults, noFaults } from '../../../src/kernel/process/faults.ts'
import { openLog } from '../../../src/kernel/process/log.ts'
import type { Open, World, WorldOptions } from '../../kit/harness.ts'
import type { Started } from '../../kit/proof.ts'
import { actionScenarios } from '../../kit/proofs.ts'

export const definitions = families.flatMap((family) => family.actions)
export const scenarios = Object.entries(actionScenarios).map(([name, prepare]) => ({
  name,
  key: name.split(' ')[0]!,
  prepare,
}))
export type Scenario = (typeof scenarios)[number]

/** Where calls go wrong, one that takes longer than this counts as failed; a slow one comes to its effect after that. */
export const shortMs = 60
export const slowMs = 150
/** Elsewhere no machine is so slow that a call counts as failed. */
export const longMs = 30_000

/** How the calls about the resources of one operation go, by their number, from 0. */
export type Plan = (index: number) => Behaviour | undefined

export interface Bench {
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

export const pools = ['10.0.0.0/16', '2001:db8::/32']

export async function openBench(open: Open, options: WorldOptions = {}): Promise<Bench> {
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
export function followed(simulation: Simulation) {
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

export type Method = (...args: unknown[]) => Promise<unknown>

/** All drivers with each method replaced by what `change` makes of it; it is told `driver.method`. */
export function mapDrivers(
  { drivers }: Simulation,
  change: (name: string, method: Method) => Method,
): Simulation['drivers'] {
  const changed = Object.entries(drivers).map(([driver, parts]) => {
    const entries: [string, unknown][] = Object.entries(parts)
    // What is no method says what a driver has beside them, such as files.
    const isMethod = (entry: [string, unknown]): entry is [string, Method] => typeof entry[1] === 'function'
    const methods = entries.filter(isMethod).map(([name, method]) => [name, change(`${driver}.${name}`, method)])
    return [driver, { ...parts, ...Object.fromEntries(methods) }]
  })
  return Object.fromEntries(changed)
}

export async function actionsOf({ db }: World, ids: readonly number[]): Promise<ActionRow[]> {
  return acrossProjects(db.query).selectFrom('action').selectAll().where('id', 'in', ids).orderBy('id').execute()
}

export async function act({ world }: Bench, started: Started): Promise<{ ids: number[]; subjects: Set<number> }> {
  const actions = await started.act(world.api)
  return { ids: actions.map(({ id }) => id), subjects: new Set(actions.flatMap(({ subjects }) => subjects)) }
}

export async function endOf({ world }: Bench, ids: readonly number[]): Promise<'success' | 'error'> {
  return (await actionsOf(world, ids)).some(({ status }) => status === 'error') ? 'error' : 'success'
}

export async function assertEnded({ world }: Bench, ids: readonly number[], end: 'success' | 'error'): Promise<void> {
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

/** What happens to the calls of a scenario while its workers are killed. */
export interface Way {
  readonly name: string
  readonly end: 'success' | 'error'
  readonly plan: Plan
}

export const forward: Way = { name: 'forward', end: 'success', plan: () => undefined }

/** One call of an action fails for good after it took effect, so that the action is taken back. */
export const unwinding = (call: number): Way => ({
  name: `unwinding after call ${call}`,
  end: 'error',
  plan: (index) => (index === call ? 'error after effect' : undefined),
})

/** One run of a scenario with nothing in its way: the places that it passes and its calls. */
export async function cleanRun(bench: Bench, { key, prepare }: Scenario, way: Way) {
  const { ids, subjects } = await act(bench, await prepare(bench.world))
  const places: string[] = []
  const before = bench.calls.length
  bench.plan(subjects, way.plan)
  await bench.worker({ reach: (place) => void places.push(place) }).idle()
  const found = (await actionsOf(bench.world, ids)).map(({ definition }) => definition)
  assert.ok(found.includes(key), `it starts ${found.join(', ')}`)
  await assertEnded(bench, ids, way.end)
  const calls = bench.calls.slice(before).filter(({ subject }) => subjects.has(subject))
  return {
    places: [...new Set(places)],
    /** The indices of the calls that fail the action when they fail. */
    fatal: [...calls.keys()].filter(
      (at) => !bench.simulation.harmless.has(`${calls[at]!.driver}.${calls[at]!.method}`),
    ),
  }
}
