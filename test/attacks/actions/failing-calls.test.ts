/**
 * Every action while its calls to the driver go wrong, each in each way: the action ends, nothing stays held, and the
 * operation can be done afterwards.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { behaviours } from '../../../src/drivers/simulated/simulation.ts'
import { noFaults } from '../../../src/kernel/process/faults.ts'
import { checkConsistency } from '../../kit/consistency.ts'
import { forEachDatabase, type World } from '../../kit/harness.ts'
import type { Started } from '../../kit/proof.ts'
import { isLong } from '../../run/long.ts'
import {
  act,
  assertEnded,
  type Bench,
  endOf,
  openBench,
  type Plan,
  type Scenario,
  scenarios,
  shortMs,
} from '../kit/bench.ts'

/** Nothing runs and nothing is held, whatever became of the infrastructure. */
async function checkResting({ db }: World): Promise<void> {
  const { rows } = await sql`
    select id from action where status = 'running' union all select action_id from resource_lock
    union all select action_id from action_serial
  `.execute(db.query)
  assert.deepEqual(rows, [])
}

/** Does an operation once more after it failed; nothing stands in its way and this time it succeeds. */
export async function actAgain(bench: Bench, failed: readonly { name: string; started: Started }[]): Promise<string[]> {
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

/** What a call does outside is the same whichever database records it. The long form tries all of it on each. */

forEachDatabase('every action', (open, engineName) => {
  if (isLong || engineName === 'sqlite') {
    test('whatever the driver does once, the action ends, nothing stays held, and the operation can be done', async () => {
      const bench = await openBench(open)
      await misbehave(bench, await mishaps(bench, false))
      await checkConsistency(bench.world, { pendingToo: true })
    })
  }

  if (isLong || engineName === 'postgres') {
    test('whatever the driver does for good, the action ends, nothing stays held, and later the operation can be done', async () => {
      const bench = await openBench(open)
      await misbehave(bench, await mishaps(bench, true))
    })
  }
})
