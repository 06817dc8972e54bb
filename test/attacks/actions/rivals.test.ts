/**
 * Many clients send the request of each action at the same time, to one process or to three on one PostgreSQL: one at
 * least gets what it asked for, the others are refused, and everything adds up.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acrossProjects } from '../../../src/kernel/data/scoped.ts'
import { checkConsistency } from '../../kit/consistency.ts'
import { forEachDatabase, type World } from '../../kit/harness.ts'
import type { StartedAction } from '../../kit/proof.ts'
import { actionScenarios } from '../../kit/proofs.ts'
import { each } from '../../kit/requests.ts'
import { settleAll } from '../../kit/resources.ts'

const rivals = 6

/** What each client got, without those that were refused. */
async function send(worlds: readonly World[], scenario: (typeof actionScenarios)[string]): Promise<StartedAction[]> {
  const { act } = await scenario(worlds[0]!)
  const clients = Array.from({ length: rivals }, (_, i) => worlds[i % worlds.length]!.api)
  const outcomes = await Promise.allSettled(clients.map((client) => act(client)))
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') assert.match(String(outcome.reason.message), /^4\d\d /)
  }
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []))
}

forEachDatabase('rivals', (open, engineName) => {
  test('for each action, one at least succeeds, the others are refused, and everything adds up', async () => {
    const world = await open({ addressPool: ['10.0.0.0/16', '2001:db8::/32'] })
    const { database, clock, simulation } = world
    const worlds = [world]
    while (engineName === 'postgres' && worlds.length < 3) worlds.push(await open({ database, clock, simulation }))
    const scene = { ...world, settle: () => settleAll(...worlds) }
    await each(
      Object.entries(actionScenarios).map(([name, scenario]) => ({ name, scenario })),
      async ({ scenario }) => {
        const started = await send([scene, ...worlds.slice(1)], scenario)
        assert.notEqual(started.length, 0, 'all were refused')
        await scene.settle()
        const ids = started.map(({ id }) => id)
        const actions = acrossProjects(world.db.query).selectFrom('action').select('status').where('id', 'in', ids)
        const ends = (await actions.execute()).map(({ status }) => status)
        assert.ok(ends.includes('success'), ends.join(', '))
      },
    )
    await checkConsistency(world, { pendingToo: true })
  })
})
