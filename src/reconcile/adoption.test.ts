/** What is marked again when an installation takes hosts over, against hosts that only tell what they have. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forProjects } from '../../test/kit/harness.ts'
import { done } from '../../test/kit/proof.ts'
import type { Survey, Thing } from '../drivers/incus/survey.ts'
import { adopt } from './adoption.ts'
import { nameOf } from './differences.ts'

forProjects('adopted hosts', (open) => {
  test('what is known has its marks back, with its generation, and what nobody knows is told of', async () => {
    const world = await open()
    const { volume } = await done(world.api.post('/volumes', { name: 'data', size: 10, location: 'hel1' }))
    await world.settle()
    const { locations } = await done(world.api.get('/locations?name=hel1'))
    const unmarked: Survey['unmarked'] = [
      { kind: 'volume', id: volume.id },
      { kind: 'server', id: 900_001 },
    ]
    const survey: Survey = {
      things: [{ kind: 'server', id: 900_002, generation: 4 }],
      inForce: new Map(['server_state', 'volume_state', 'network_state'].map((table) => [table, new Map()])),
      unmarked,
    }
    const marked: Thing[] = []
    let owner: string | undefined = 'another'
    const hosts = {
      locations: new Set<number>([locations[0].id]),
      networkZones: new Set<string>([locations[0].network_zone]),
      survey: async () => survey,
      owner: async () => owner,
      claim: async (installation: string) => {
        owner = installation
      },
      remark: async (thing: Thing) => void marked.push(thing),
    }
    const first = await adopt(world.db.query, hosts, 'ours')
    assert.deepEqual([first.isNew, first.orphans.map(nameOf), owner], [true, ['server 900002'], 'ours'])
    assert.deepEqual(first.marked, marked)
    assert.deepEqual(marked.map(nameOf), [`volume ${volume.id}`])
    assert.ok(marked[0]!.generation > 0, 'it is not taken for an older one')
    assert.equal((await adopt(world.db.query, hosts, 'ours')).isNew, false)
  })
})
