/** What is repaired on hosts, and what is removed from them, against hosts that only tell what they have. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachDatabase, type World } from '../../test/kit/harness.ts'
import { done } from '../../test/kit/proof.ts'
import { openLog } from '../kernel/process/log.ts'
import { Reconciler } from './execute.ts'
import type { Finding, Inventory, ReconciledHosts, Thing } from './inventory.ts'
import { type Place, type State, subjects } from './kinds.ts'
import { planFor } from './plan.ts'

const installation = 'ours'

/** Hosts with what a test puts there, which record what is removed from them. */
class TellingHosts {
  things: Thing[] = []
  readonly inForce = Object.fromEntries(Object.keys(subjects).map((state) => [state, new Map()])) as Record<
    State,
    Map<number, Finding>
  >
  readonly removed: string[] = []
  isAway = false
  owner: string | undefined

  at(place: Place): ReconciledHosts {
    const remove = async (name: string) => void this.removed.push(name)
    return {
      name: 'telling',
      ...place,
      machines: {
        servers: { remove: (id: number) => remove(`server ${id}`) },
        volumes: { remove: (id: number) => remove(`volume ${id}`) },
        loadBalancers: { remove: (id: number) => remove(`load balancer ${id}`) },
      } as unknown as ReconciledHosts['machines'],
      uphold: async () => {
        if (this.isAway) throw new Error('the hosts do not answer')
      },
      inventory: async (): Promise<Inventory> => ({ things: this.things, inForce: this.inForce, unmarked: [] }),
      owner: async () => this.owner,
      claim: async (name) => {
        this.owner = name
      },
      remark: async () => undefined,
    }
  }
}

/** Everywhere. */
async function placeOf({ api }: World): Promise<Place> {
  const { locations } = await done(api.get('/locations'))
  return {
    locations: new Set<number>(locations.map(({ id }: { id: number }) => id)),
    networkZones: new Set<string>(locations.map((one: { network_zone: string }) => one.network_zone)),
  }
}

forEachDatabase('hosts', (open) => {
  async function opened(graceMs: number) {
    const world = await open()
    const hosts = new TellingHosts()
    const reconciler = new Reconciler({
      ...partsOf(world),
      hosts: [hosts.at(await placeOf(world))],
      installation,
      graceMs,
    })
    return { world, hosts, reconciler }
  }

  const partsOf = ({ db, secrets, clock, simulation }: World) => ({
    db,
    secrets,
    clock,
    drivers: simulation.drivers,
    log: openLog('silent'),
  })

  test('what is missing or of another generation is handed over again, and what is as wanted is not', async () => {
    const { world, hosts, reconciler } = await opened(0)
    for (const name of ['one', 'two', 'three']) {
      await done(world.api.post('/volumes', { name, size: 10, location: 'hel1' }))
    }
    await world.settle()
    const { volumes } = await done(world.api.get('/volumes?sort=id'))
    const [one, two, three] = volumes.map(({ id }: { id: number }) => id)
    const generations = await world.db.query
      .selectFrom('volume_state' as never)
      .selectAll()
      .execute()
    const newest = new Map((generations as { id: number; generation: number }[]).map((row) => [row.id, row.generation]))
    hosts.inForce.volume_state.set(one, newest.get(one)!).set(two, newest.get(two)! - 1)
    const calls = world.simulation.record()
    await reconciler.run()
    assert.deepEqual(
      calls.filter(({ driver }) => driver === 'volumes').map(({ subject }) => subject),
      [two, three],
    )
  })

  test('a Load Balancer is made again that is missing or not as it was written, and waits for a host that is away', async () => {
    const { world, hosts, reconciler } = await opened(0)
    const make = async (name: string) => {
      const body = { name, load_balancer_type: 'lb11', location: 'hel1' }
      return (await done(world.api.post('/load_balancers', body))).load_balancer.id
    }
    const [missing, changed, away] = [await make('missing'), await make('changed'), await make('away')]
    await world.settle()
    hosts.inForce.load_balancer_state.set(changed, 'changed').set(away, 'unknown')
    const { differing } = await planFor(world.db.query, hosts.at(await placeOf(world)))
    const told = differing.filter(({ state }) => state === 'load_balancer_state')
    assert.deepEqual(
      told.map(({ row, is }) => [row.id, is]),
      [
        [missing, 'missing'],
        [changed, 'not as it was written'],
        [away, 'on a host that does not answer'],
      ],
    )
    const calls = world.simulation.record()
    await reconciler.run()
    const repaired = calls.filter(({ driver, method }) => driver === 'loadBalancers' && method === 'apply')
    assert.deepEqual(
      repaired.map(({ subject }) => subject),
      [missing, changed],
    )
  })

  test('the time of what nobody wants goes on while its hosts do not answer', async () => {
    const { world, hosts, reconciler } = await opened(60_000)
    hosts.things = [{ kind: 'server', id: 900_001, generation: 4 }]
    await reconciler.run()
    world.clock.advance(61_000)
    await reconciler.run()
    assert.deepEqual(hosts.removed, [], 'nobody was told of it before')
    hosts.isAway = true
    await assert.rejects(reconciler.run(), /do not answer/)
    world.clock.advance(61_000)
    hosts.isAway = false
    await reconciler.run()
    assert.deepEqual(hosts.removed, ['server 900001'])
  })

  test('what nobody wants is removed when the time has passed, unless the hosts are of another installation', async () => {
    const { world, hosts, reconciler } = await opened(60_000)
    hosts.things = [
      { kind: 'server', id: 900_001, generation: 4 },
      { kind: 'volume', id: 900_002, generation: 1 },
      { kind: 'load_balancer', id: 900_003, generation: 1 },
    ]
    await reconciler.run()
    await reconciler.run()
    assert.deepEqual([hosts.owner, hosts.removed], [installation, []])
    world.clock.advance(61_000)
    hosts.owner = 'another'
    await reconciler.run()
    assert.deepEqual(hosts.removed, [])

    hosts.owner = installation
    for (let round = 0; round < 3; round++) {
      await reconciler.run()
      world.clock.advance(61_000)
    }
    assert.deepEqual(hosts.removed.slice(0, 3), ['server 900001', 'volume 900002', 'load balancer 900003'])
  })
})
