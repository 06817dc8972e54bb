/**
 * Property tests over random lives of an installation: operations in any order, on an infrastructure that fails in any
 * way, after which all invariants must hold. A life is a function of the seed; a failure prints the seed and the
 * shortest failing life. Timing between actions and requests depends on the machine. WOLKE_TEST_SEED and
 * WOLKE_TEST_RUNS explore other lives.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { type Behave, type Behaviour, behaviours } from '../../src/drivers/simulated/simulation.ts'
import { simulate } from '../../src/families.ts'
import { acrossProjects } from '../../src/kernel/data/scoped.ts'
import type { Faults } from '../../src/kernel/process/faults.ts'
import { checkConsistency, resourceTables } from '../consistency.ts'
import { type Answer, type Client, forEachDatabase, type World, type WorldOptions } from '../harness.ts'
import { settleAll } from '../resources.ts'

const seed = Number(process.env.WOLKE_TEST_SEED ?? 20_261_121)
/** A life takes several times as long on PostgreSQL, where only concurrency differs. */
const lives = { sqlite: 12, postgres: 6 }
const shrinkMs = 15_000

/** Events common to all lives. Numbers choose among the existing resources. */
type Circumstance =
  | { readonly do: 'misbehave'; calls: Behaviour[] }
  | { readonly do: 'wait'; minutes: number }
  | { readonly do: 'settle' }

const circumstances = [
  fc.record({
    do: fc.constant('misbehave'),
    calls: fc.array(fc.constantFrom(...behaviours), { minLength: 1, maxLength: 8 }),
  }),
  fc.record({ do: fc.constant('wait'), minutes: fc.nat({ max: 11 }) }),
  fc.record({ do: fc.constant('settle') }),
] as fc.Arbitrary<Circumstance>[]

/** A number that chooses among the existing resources. */
export const pick = fc.nat({ max: 11 })
export const at = <T>(items: readonly T[], index: number): T => items[index % items.length]!

/** The definition of lives. */
export interface Lives<Operation> {
  readonly operations: readonly fc.Arbitrary<Operation>[]
  /** Operations that are drawn more often than others. */
  readonly frequent: readonly fc.Arbitrary<Operation>[]
  readonly options: WorldOptions
  /** Sends the request of an operation; returns undefined when the resources it needs do not exist. */
  perform(world: World, step: Operation): Promise<Answer | undefined>
  /** Checks that an answer is visible to the next read, through another process where there is one. */
  checkAnswer?(reader: Client, answer: Answer): Promise<void>
  /** Checks what the API returns for an installation at rest. */
  checkShown(world: World): Promise<void>
  /** Deletes everything on an infrastructure that works again. */
  clear(world: World): Promise<void>
}

/** Declares the tests, one for each database. */
export function liveOn<Operation extends { readonly do: string }>(name: string, parts: Lives<Operation>): void {
  const life = fc.array(fc.oneof(...parts.frequent, ...parts.operations, ...circumstances, ...circumstances), {
    minLength: 15,
    maxLength: 50,
    size: 'max',
  })
  forEachDatabase(name, (open, engineName) => {
    const numRuns = Number(process.env.WOLKE_TEST_RUNS ?? lives[engineName])

    test(`after random operations on an unreliable infrastructure (seed ${seed})`, async (t) => {
      const counts = new Map<string, number>()
      let failedAt: number | undefined
      const property = fc.asyncProperty(life, fc.boolean(), async (steps, runActions) => {
        // Shrinking to a shorter failing life is limited in time.
        if (failedAt !== undefined && performance.now() > failedAt + shrinkMs) return
        const simulation = simulate({ delayMs: 0, slowMs: 25 })
        const mood = moody()
        simulation.behave(mood.behave)
        const options = { simulation, faults: mood.faults, engine: { callTimeoutMs: 10 }, ...parts.options }
        const world = await open({ ...options, runActions })
        const { database, clock } = world
        const other = world.db.dialect.shared ? await open({ ...options, database, clock, runActions: false }) : world
        try {
          for (const step of steps) {
            const answer = await happen(world, mood, step, parts)
            if (!answer) continue
            const outcome = `${step.do}: ${answer.status} ${answer.body?.error?.code ?? ''}`
            counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
            assert.ok(answer.status < 500, answer.text)
            if (answer.status < 300) await parts.checkAnswer?.(other.client(world.api.token), answer)
          }
          await settleAll(world)
          await checkConsistency(world, { pendingToo: true })
          await parts.checkShown(world)
          mood.calm()
          await parts.clear(world)
          await checkNothingLeft(world)
        } catch (error) {
          failedAt ??= performance.now()
          throw error
        } finally {
          await other.stop()
          await world.stop()
        }
      })
      await fc.assert(property, { seed, numRuns, endOnFailure: false })
      for (const [outcome, count] of [...counts].sort()) t.diagnostic(`${outcome} ${count}`)
    })
  })
}

async function happen<Operation>(
  world: World,
  mood: Mood,
  step: Operation | Circumstance,
  { perform }: Lives<Operation>,
): Promise<Answer | undefined> {
  const circumstance = step as Circumstance
  if (circumstance.do === 'misbehave') return void mood.order(circumstance.calls)
  if (circumstance.do === 'wait') return void world.clock.advance(circumstance.minutes * 60_000)
  if (circumstance.do !== 'settle') return perform(world, step as Operation)
  await settleAll(world)
  await checkConsistency(world, { pendingToo: true })
  return undefined
}

interface Mood {
  readonly behave: Behave
  readonly faults: Faults
  order(calls: readonly Behaviour[]): void
  calm(): void
}

/**
 * An infrastructure that fails on request but always lets failed actions be undone, because a world in which nothing
 * works would prove nothing.
 */
function moody(): Mood {
  const ordered: Behaviour[] = []
  let undoing = 0
  return {
    behave: () => (undoing > 0 ? 'ok' : ordered.shift()),
    faults: {
      reach(place) {
        if (place.endsWith('-undo:before-effect')) undoing++
        if (place.endsWith('-undo:after-effect')) undoing--
      },
    },
    order: (calls) => void ordered.push(...calls),
    calm: () => void ordered.splice(0),
  }
}

/** Ids of all resources of a family. */
export async function idsOf({ api }: World, family: string, query = ''): Promise<number[]> {
  return (await api.get(`/${family}?per_page=50${query}`)).body[family].map(({ id }: { id: number }) => id)
}

/** Asserts that no resource is left, in the database or in the infrastructure. */
async function checkNothingLeft(world: World): Promise<void> {
  await settleAll(world)
  await checkConsistency(world)
  for (const [what, { size }] of Object.entries(world.simulation.world)) assert.equal(size, 0, what)
  const { query } = world.db
  for (const table of [...resourceTables, 'label']) {
    const { rows } = await sql`select * from ${sql.table(table)}`.execute(query)
    assert.deepEqual(rows, [], table)
  }
  const owned = acrossProjects(query).selectFrom('address').selectAll().where('owner', 'is not', null)
  assert.deepEqual(await owned.execute(), [])
}
