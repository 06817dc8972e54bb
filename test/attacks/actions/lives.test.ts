/**
 * Property tests over random lives of an installation: requests of some families in any order, on an infrastructure that
 * fails in any way, after which all invariants must hold. A life is a function of the seed; a failure prints the seed and
 * the shortest failing life. Timing between actions and requests depends on the machine. WOLKE_TEST_SEED and
 * WOLKE_TEST_RUNS explore other lives.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { writeKinds } from '../../../attack/crash/writes.ts'
import { type Behave, type Behaviour, behaviours } from '../../../src/drivers/simulated/simulation.ts'
import { limitedPaths, simulate } from '../../../src/families.ts'
import { acrossProjects } from '../../../src/kernel/data/scoped.ts'
import type { Faults } from '../../../src/kernel/process/faults.ts'
import { checkConsistency, resourceTables } from '../../kit/consistency.ts'
import { type Answer, type Client, forEachDatabase, type World, type WorldOptions } from '../../kit/harness.ts'
import type { Shown } from '../../kit/proof.ts'
import { proofs } from '../../kit/proofs.ts'
import { unwritten } from '../../kit/requests.ts'
import { expect, settleAll } from '../../kit/resources.ts'
import {
  drawing,
  familiesNamedBy,
  partsIn,
  type RequestKind,
  requestKinds,
  resourcesIn,
  traffic,
} from '../../kit/traffic.ts'

const seed = Number(process.env.WOLKE_TEST_SEED ?? 20_261_121)
/** A life takes several times as long on PostgreSQL, where only concurrency differs. */
const lives = { sqlite: 20, postgres: 8 }
const shrinkMs = 15_000

/** So few that limits are met, and fewer addresses than a Project may have. */
const most = 5
const scarcity: WorldOptions = {
  addressPool: ['198.51.100.0/29', '2001:db8::/32'],
  limits: Object.fromEntries(limitedPaths.map((path) => [path, most])),
}

// ---- Lives ---------------------------------------------------------------------------------------------------------

/** A request, whose picks choose among what there is, or something that happens in every life. */
type Step =
  | { readonly do: string; readonly picks: readonly number[] }
  | { readonly do: 'misbehave'; readonly calls: Behaviour[] }
  | { readonly do: 'wait'; readonly minutes: number }
  | { readonly do: 'settle' }

const circumstances = [
  fc.record({
    do: fc.constant('misbehave'),
    calls: fc.array(fc.constantFrom(...behaviours), { minLength: 1, maxLength: 8 }),
  }),
  fc.record({ do: fc.constant('wait'), minutes: fc.oneof(fc.nat({ max: 11 }), fc.nat({ max: 9 * 60 })) }),
  fc.record({ do: fc.constant('settle') }),
] as fc.Arbitrary<Step>[]

const picks = fc.array(fc.nat({ max: 59 }), { minLength: 12, maxLength: 12 })

/** Some families, with those that their requests name. */
const casts = fc
  .subarray([...traffic.keys()], { minLength: 1, maxLength: 4 })
  .map((some) => [...new Set(some.flatMap((family) => [family, ...familiesNamedBy(family)]))])

/** A third of a life is making things, a sixth is what happens in every life, and families have equal parts in the rest. */
const life = casts.chain((cast) => {
  const one = (kinds: readonly RequestKind[]) =>
    fc.record({ do: fc.constantFrom(...kinds.map(({ name }) => name)), picks }) as fc.Arbitrary<Step>
  const own = cast.map((family) => requestKinds.filter((kind) => kind.family === family))
  const creations = own.flat().filter(({ isCreation }) => isCreation)
  const steps = fc.oneof(
    { weight: 2, arbitrary: one(creations) },
    { weight: 3, arbitrary: fc.oneof(...own.map(one)) },
    { weight: 1, arbitrary: fc.oneof(...circumstances) },
  )
  return fc.record({
    cast: fc.constant(cast),
    steps: fc.array(steps, { minLength: 20, maxLength: 60, size: 'max' }),
  })
})

test('every endpoint that writes is among the requests of random lives and those under kill -9', () => {
  assert.deepEqual(unwritten(requestKinds.map(({ name }) => name)), [])
  assert.deepEqual(unwritten(writeKinds.map(({ name }) => name)), [])
})

forEachDatabase('everything adds up', (open, engineName) => {
  const numRuns = Number(process.env.WOLKE_TEST_RUNS ?? lives[engineName])

  test(`after random lives on an unreliable infrastructure (seed ${seed})`, async (t) => {
    const counts = new Map<string, number>()
    let failedAt: number | undefined
    const property = fc.asyncProperty(life, fc.boolean(), async ({ steps }, runActions) => {
      // Shrinking to a shorter failing life is limited in time.
      if (failedAt !== undefined && performance.now() > failedAt + shrinkMs) return
      const simulation = simulate({ delayMs: 0, slowMs: 25 })
      const mood = moody()
      simulation.behave(mood.behave)
      const options = { simulation, faults: mood.faults, engine: { callTimeoutMs: 10 }, ...scarcity }
      const world = await open({ ...options, runActions })
      const { database, clock } = world
      const other = world.db.dialect.shared ? await open({ ...options, database, clock, runActions: false }) : world
      try {
        for (const step of steps) {
          const answer = await happen(world, mood, step)
          if (!answer) continue
          const outcome = `${step.do}: ${answer.status} ${answer.body?.error?.code ?? ''}`
          counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
          assert.ok(answer.status < 500, answer.text)
          if (answer.status < 300) await checkAnswer(other.client(world.api.token), answer)
        }
        await settleAll(world)
        await checkConsistency(world, { pendingToo: true })
        await checkShown(world.api)
        mood.calm()
        await clear(world)
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
    const accepted = [...counts.keys()].filter((outcome) => /: 2\d\d/.test(outcome))
    assert.ok(accepted.length > Math.min(numRuns, 20), `only these were accepted: ${accepted.join(', ')}`)
    for (const [outcome, count] of [...counts].sort()) t.diagnostic(`${outcome} ${count}`)
  })
})

async function happen(world: World, mood: Mood, step: Step): Promise<Answer | undefined> {
  if ('calls' in step) return void mood.order(step.calls)
  if ('minutes' in step) {
    world.clock.advance(step.minutes * 60_000)
    return void (await world.app.jobs.run())
  }
  if ('picks' in step) return send(world.api, step)
  await settleAll(world)
  await checkConsistency(world, { pendingToo: true })
  return undefined
}

/** Sends a request unless what it needs is not there. */
async function send(api: Client, step: Extract<Step, { picks: unknown }>): Promise<Answer | undefined> {
  let next = 0
  const number = (limit: number) => step.picks[next++ % step.picks.length]! % limit
  const draw = drawing({
    number,
    async any(family) {
      const all = await listOf(api, family)
      return all[number(Math.max(all.length, 1))]
    },
    parts: async (path) => partsIn(path, (await api.get(path)).body),
  })
  const request = await requestKinds.find(({ name }) => name === step.do)!.make(draw)
  return request && api.request(request.method, request.path, { body: request.body })
}

/** The resources of a family that the Project has. */
async function listOf(api: Client, family: string): Promise<Shown[]> {
  const query = traffic.get(family)?.query
  return expect(await api.get(`/${family}?per_page=50${query ? `&${query}` : ''}`), 200).body[family]
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

// ---- What must hold ------------------------------------------------------------------------------------------------

/** What a user says of a resource; no action changes it. */
function said({ name, description, labels, protection }: Shown) {
  return { name, description, labels, protection }
}

/** I12: what an answer shows is there for the next read, through any process, unless an action has failed by then. */
async function checkAnswer(api: Client, answer: Answer): Promise<void> {
  if (answer.status === 204) expect(await api.get(answer.path), 404)
  if (answer.body?.action) expect(await api.get(`/actions/${answer.body.action.id}`), 200)
  for (const { family, resource } of resourcesIn(answer)) {
    const found = await api.get(`/${family}/${resource.id}`)
    if (found.status === 404) {
      assert.ok(await wasTakenBack(api, family, resource.id), `${family} ${resource.id} is gone without a reason`)
    } else {
      expect(found, 200)
      assert.deepEqual(said(resourcesIn(found)[0]!.resource), said(resource))
    }
  }
}

/** Whether an action about a resource ends in an error; while it unwinds, the resource may be gone already. */
async function wasTakenBack(api: Client, family: string, id: number): Promise<boolean> {
  for (;;) {
    const { actions } = (await api.get(`/${family}/actions?sort=id:desc&per_page=50`)).body
    const about = (actions as { status: string; resources: { id: number }[] }[]).filter(({ resources }) =>
      resources.some((ref) => ref.id === id),
    )
    if (about.every(({ status }) => status !== 'running')) return about.some(({ status }) => status === 'error')
  }
}

/** I5, and what each family says of its answers. */
async function checkShown(api: Client): Promise<void> {
  for (const path of traffic.keys()) {
    if (limitedPaths.includes(path)) assert.ok((await listOf(api, path)).length <= most, `I5: ${path} beyond the limit`)
  }
  for (const { consistency } of proofs.values()) await consistency?.shown?.(api)
}

const deletable = [...traffic].filter(([family, { requests }]) => `DELETE /${family}/{${family}}` in requests)

/** Deletes everything, in rounds: what is in use goes after what uses it. */
async function clear(world: World): Promise<void> {
  for (let round = 0; round < 3; round++) {
    for (const [family, { release }] of deletable) {
      for (const one of await listOf(world.api, family)) await remove(world.api, family, one, release)
    }
    await settleAll(world)
    await world.app.jobs.run()
  }
}

async function remove(
  api: Client,
  family: string,
  one: Shown,
  release?: (api: Client, one: Shown) => Promise<unknown>,
): Promise<void> {
  const path = `/${family}/${one.id}`
  if (Object.values(one.protection ?? {}).includes(true)) {
    const none = Object.fromEntries(Object.keys(one.protection).map((kind) => [kind, false]))
    expect(await api.post(`${path}/actions/change_protection`, none), 201)
  }
  await release?.(api, one)
  await api.delete(path)
}

/** Asserts that no resource is left, in the database or in the infrastructure. */
async function checkNothingLeft(world: World): Promise<void> {
  await settleAll(world)
  await checkConsistency(world)
  for (const [what, { size }] of Object.entries(world.simulation.world)) assert.equal(size, 0, what)
  const query = acrossProjects(world.db.query)
  for (const table of resourceTables) assert.deepEqual(await query.selectFrom(table).selectAll().execute(), [], table)
  const labels = query.selectFrom('label').selectAll().where('kind', 'in', resourceTables)
  assert.deepEqual(await labels.execute(), [])
  const owned = query.selectFrom('address').selectAll().where('owner', 'is not', null)
  assert.deepEqual(await owned.execute(), [])
}
