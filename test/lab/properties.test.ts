/** What holds of every cloud of a lab, whatever is in it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manager } from '../../src/management/proof.ts'
import { engines, forEachDatabase } from '../kit/harness.ts'
import { done } from '../kit/proof.ts'
import { assertSame, disturb, everything, fill, frozen, labAt, type Tables } from './kit.ts'

forEachDatabase(
  'A lab',
  (open) => {
    test('keeps every table and the infrastructure in snapshots, restores and forks', async () => {
      const world = await open({ lab: frozen(), alone: true })
      const client = await manager(world)
      const lab = labAt(client, world.baseUrl)
      await fill(world)
      // A cloud that begins does at once what another one would do within a minute.
      await lab.advance({ by: '0s' })
      const before = await everything(lab)
      const filled = Object.keys(before).filter((name) => before[name]!.length > 0)
      assert.ok(filled.length > 35, `${filled}`)
      const fork = await lab.fork()
      assertSame(await everything(labAt(client, fork.base_url)), before)
      await disturb(world.api, 5, 30)
      await world.app.engine.idle()
      await done(lab.restore('everything'))
      assertSame(await everything(lab), before)
    })

    test('is in the same state after one step or many', async () => {
      const durations = { of: ({ id }: { readonly id: number }) => 30_000 + (id % 7) * 60_000, longestMs: 600_000 }
      const world = await open({ lab: frozen(), alone: true, engine: { durations } })
      const client = await manager(world)
      const lab = labAt(client, world.baseUrl)
      for (const seed of [1, 2]) {
        await disturb(world.api, seed, 60)
        const states: Tables[] = []
        for (const hops of [['15d'], Array(15).fill('1d'), ['13h', '1m', '3d', '11d', '10h59m']]) {
          const fork = await lab.fork()
          const there = labAt(client, fork.base_url)
          for (const by of hops) await there.advance({ by })
          states.push(await everything(there))
          await done(lab.endFork(fork.id))
        }
        for (const found of states.slice(1)) assertSame(found, states[0]!)
      }
    })
  },
  engines.filter((name) => name === 'sqlite'),
)
