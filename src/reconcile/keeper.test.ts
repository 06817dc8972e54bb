/** What is repaired on hosts, and what is removed from them, against hosts that only tell what they have. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forDatabasesInTurn, type World } from '../../test/kit/harness.ts'
import { done } from '../../test/kit/proof.ts'
import type { Survey, Thing } from '../drivers/incus/survey.ts'
import { openLog } from '../kernel/process/log.ts'
import { Keeper, type KeptHosts } from './keeper.ts'

const installation = 'ours'

/** Hosts with what a test puts there, which record what is removed from them. */
class TellingHosts {
  things: Thing[] = []
  readonly inForce = new Map<string, Map<number, number>>()
  readonly removed: string[] = []
  isAway = false
  owner: string | undefined

  kept(place: Pick<KeptHosts, 'locations' | 'networkZones'>): KeptHosts {
    const remove = async (name: string) => void this.removed.push(name)
    return {
      name: 'telling',
      ...place,
      machines: {
        servers: { remove: (id: number) => remove(`server ${id}`) },
        volumes: { remove: (id: number) => remove(`volume ${id}`) },
        loadBalancers: { remove: (id: number) => remove(`load balancer ${id}`) },
      } as unknown as KeptHosts['machines'],
      uphold: async () => {
        if (this.isAway) throw new Error('the hosts do not answer')
      },
      survey: async (): Promise<Survey> => ({ things: this.things, inForce: this.inForce, unmarked: [] }),
      owner: async () => this.owner,
      claim: async (name) => {
        this.owner = name
      },
    }
  }
}

forDatabasesInTurn('hosts', (open) => {
  async function opened(graceMs: number) {
    const world = await open()
    const hosts = new TellingHosts()
    const { locations } = await done(world.api.get('/locations'))
    const ids = new Set<number>(locations.map(({ id }: { id: number }) => id))
    const zones = new Set<string>(locations.map((one: { network_zone: string }) => one.network_zone))
    const keeper = new Keeper({
      ...partsOf(world),
      hosts: [hosts.kept({ locations: ids, networkZones: zones })],
      installation,
      graceMs,
    })
    return { world, hosts, keeper }
  }

  const partsOf = ({ db, secrets, clock, simulation }: World) => ({
    db,
    secrets,
    clock,
    drivers: simulation.drivers,
    log: openLog('silent'),
  })

  test('what is missing or of another generation is handed over again, and what is as wanted is not', async () => {
    const { world, hosts, keeper } = await opened(0)
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
    hosts.inForce.set(
      'volume_state',
      new Map([
        [one, newest.get(one)!],
        [two, newest.get(two)! - 1],
      ]),
    )
    const calls = world.simulation.record()
    await keeper.run()
    assert.deepEqual(
      calls.filter(({ driver }) => driver === 'volumes').map(({ subject }) => subject),
      [two, three],
    )
  })

  test('the time of what nobody wants goes on while its hosts do not answer', async () => {
    const { world, hosts, keeper } = await opened(60_000)
    hosts.things = [{ kind: 'server', id: 900_001, generation: 4 }]
    await keeper.run()
    world.clock.advance(61_000)
    await keeper.run()
    assert.deepEqual(hosts.removed, [], 'nobody was told of it before')
    hosts.isAway = true
    await assert.rejects(keeper.run(), /do not answer/)
    world.clock.advance(61_000)
    hosts.isAway = false
    await keeper.run()
    assert.deepEqual(hosts.removed, ['server 900001'])
  })

  test('what nobody wants is removed when the time has passed, unless the hosts are of another installation', async () => {
    const { world, hosts, keeper } = await opened(60_000)
    hosts.things = [
      { kind: 'server', id: 900_001, generation: 4 },
      { kind: 'volume', id: 900_002, generation: 1 },
      { kind: 'load_balancer', id: 900_003, generation: 1 },
    ]
    await keeper.run()
    await keeper.run()
    assert.deepEqual([hosts.owner, hosts.removed], [installation, []])
    world.clock.advance(61_000)
    hosts.owner = 'another'
    await keeper.run()
    assert.deepEqual(hosts.removed, [])

    hosts.owner = installation
    for (let round = 0; round < 3; round++) {
      await keeper.run()
      world.clock.advance(61_000)
    }
    assert.deepEqual(hosts.removed.slice(0, 3), ['server 900001', 'volume 900002', 'load balancer 900003'])
  })
})
