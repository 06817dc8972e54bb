/** What holds of every cloud of a lab, whatever is in it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manager, placeIn } from '../../src/management/proof.ts'
import { namedIn } from '../../src/people/proof.ts'
import { firstProject } from '../kit/audit-log.ts'
import { engines, forEachDatabase } from '../kit/harness.ts'
import { done } from '../kit/proof.ts'
import { assertSame, disturb, everything, everythingButClaims, fillWhole, frozen, labAt, type Tables } from './kit.ts'

/**
 * Tables without rows in a cloud at rest that has something of everything. A new one has to be here, or to be filled by the
 * proof of its family.
 */
const emptyTables = [
  ...['action_serial', 'action_unfiled', 'ceremony', 'certificate_order', 'certificate_use', 'console_origin'],
  ...['firewall_match', 'guess', 'image_removal', 'key_holder', 'network_vswitch', 'person_link', 'person_mail'],
  ...['person_mail_sent', 'project_limit', 'rate_limit', 'resource_lock', 'server_former', 'sign_in'],
  ...['token_action', 'write_probe', 'zone_challenge', 'zone_key', 'zone_signing'],
]

forEachDatabase(
  'A lab',
  (open) => {
    test('keeps every table and the infrastructure in snapshots, restores and forks', async () => {
      const world = await open({ lab: frozen(), alone: true })
      const client = await manager(world)
      const lab = labAt(client, world.baseUrl)
      await fillWhole(world)
      const project = await firstProject(world)
      await placeIn(world, project)
      await namedIn(world, project)
      // A cloud that begins does at once what another one would do within a minute.
      await lab.advance({ by: '0s' })
      const before = await everything(lab)
      assert.deepEqual(
        Object.keys(before)
          .filter((name) => before[name]!.length === 0)
          .sort(),
        emptyTables,
      )
      const fork = await lab.fork()
      assertSame(await everything(labAt(client, fork.base_url)), before)
      await disturb(world.api, 5, 30)
      await world.app.engine.idle()
      await done(lab.restore('everything'))
      assertSame(await everything(lab), before)
    })

    test('copies, saves and loses all that its infrastructure knows', async () => {
      const { simulation, clock, ...others } = await open({ lab: frozen(), alone: true })
      await fillWhole({ simulation, clock, ...others })
      const options = { delayMs: 0, clock }
      const known = structuredClone(simulation.world)
      const kinds = Object.entries(known)
      const unknown = kinds.filter(([, objects]) => (objects as Map<number, unknown>).size === 0).map(([kind]) => kind)
      assert.deepEqual(unknown, [])
      const copies = [simulation.copy(options), simulation.load(options, JSON.parse(JSON.stringify(simulation.save())))]
      for (const copy of copies) {
        assert.deepEqual(copy.world, known)
        assert.deepEqual(copy.save(), simulation.save())
        copy.end()
        assert.deepEqual(copy.world, Object.fromEntries(kinds.map(([kind]) => [kind, new Map()])))
        assert.deepEqual(simulation.world, known)
      }
    })

    test('is in the same state after one step or many', async () => {
      let minuteMs = 0
      const durations = {
        of: ({ id }: { readonly id: number }) => minuteMs / 2 + (id % 7) * minuteMs,
        longestMs: 600_000,
      }
      const world = await open({ lab: frozen(), alone: true, engine: { durations } })
      const client = await manager(world)
      const lab = labAt(client, world.baseUrl)
      await fillWhole(world)
      // From now on actions take their time.
      minuteMs = 60_000
      for (const seed of [1, 2]) {
        await disturb(world.api, seed, 60)
        const states: Tables[] = []
        for (const hops of [['15d'], Array(15).fill('1d'), ['13h', '1m', '3d', '11d', '10h59m']]) {
          const fork = await lab.fork()
          const there = labAt(client, fork.base_url)
          for (const by of hops) await there.advance({ by })
          states.push(await everythingButClaims(there))
          await done(lab.endFork(fork.id))
        }
        for (const found of states.slice(1)) assertSame(found, states[0]!)
      }
    })
  },
  engines.filter((name) => name === 'sqlite'),
)
