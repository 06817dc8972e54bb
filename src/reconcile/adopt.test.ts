/** What is marked again when an installation takes hosts over, against hosts that only tell what they have. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forProjects } from '../../test/kit/harness.ts'
import { done } from '../../test/kit/proof.ts'
import { adopt } from './adopt.ts'
import { type InForce, type Inventory, nameOf, type Thing } from './inventory.ts'
import { type State, subjects } from './kinds.ts'

forProjects('adopted hosts', (open) => {
  test('what is known has its marks back, with its generation, and what nobody knows is told of', async () => {
    const world = await open()
    const { volume } = await done(world.api.post('/volumes', { name: 'data', size: 10, location: 'hel1' }))
    await world.settle()
    const { locations } = await done(world.api.get('/locations?name=hel1'))
    const lost = { name: 'web', load_balancer_type: 'lb11', location: 'hel1' }
    const { load_balancer: balancer } = await done(world.api.post('/load_balancers', lost))
    await world.settle()
    const unmarked: Inventory['unmarked'] = [
      { kind: 'volume', id: volume.id },
      { kind: 'load_balancer', id: balancer.id },
      { kind: 'server', id: 900_001 },
    ]
    const inForce = Object.fromEntries(Object.keys(subjects).map((state) => [state, new Map()]))
    const inventory: Inventory = {
      things: [{ kind: 'server', id: 900_002, generation: 4 }],
      inForce: inForce as unknown as Record<State, InForce>,
      unmarked,
    }
    const marked: Thing[] = []
    let owner: string | undefined = 'another'
    const hosts = {
      locations: new Set<number>([locations[0].id]),
      networkZones: new Set<string>([locations[0].network_zone]),
      inventory: async () => inventory,
      owner: async () => owner,
      claim: async (installation: string) => {
        owner = installation
      },
      remark: async (thing: Thing) => void marked.push(thing),
    }
    const first = await adopt(world.db.query, hosts, 'ours')
    assert.deepEqual([first.isNew, first.orphans.map(nameOf), owner], [true, ['server 900002'], 'ours'])
    assert.deepEqual(first.marked, marked)
    assert.deepEqual(marked.map(nameOf), [`volume ${volume.id}`, `load balancer ${balancer.id}`])
    assert.ok(
      marked.every(({ generation }) => generation > 0),
      'none is taken for an older one',
    )
    assert.equal((await adopt(world.db.query, hosts, 'ours')).isNew, false)
  })
})
