/** What is told of hosts, against an Incus and an OVN that only have what a test says. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyState } from '../../../../test/kit/samples/balancer-states.ts'
import type { BalancerState } from '../../../families/load-balancers/driver.ts'
import type { Incus } from '../../../protocols/incus/client.ts'
import type { Config, Instance } from '../../../protocols/incus/edit.ts'
import { nameOf } from '../../../reconcile/inventory.ts'
import { equipment } from '../balancers/guest.ts'
import { configOf, devicesOf, equipmentKey } from '../balancers/instance.ts'
import type { OverlayInventory, OverlaySubject } from '../overlay/overlay.ts'
import { remark, survey } from './inventory.ts'

const pool = 'local'
const internal = { ipv4: '172.31.16.7', ipv6: 'fd00:172:31::7' }
const place = { network: 9, address: '10.0.0.5' }

interface Told {
  readonly name: string
  readonly config: Config | null
  readonly devices: Instance['devices']
}

/** A balancer as it is written. */
function balancer(id: number, more: Partial<BalancerState> = {}): Told & { readonly config: Config } {
  const state = { ...emptyState, id, generation: 3, place, ...more }
  const config = { ...configOf(state), [equipmentKey]: equipment }
  return { name: `lb-${id}`, config, devices: devicesOf(state, internal, { pool, publicNetwork: 'pub' }) }
}

const rows = (more: Partial<OverlaySubject> = {}): OverlaySubject => ({
  generations: { server: 3, filter: -1, routing: -1, private: 3 },
  damaged: new Set(),
  routes: [],
  places: new Set([place.network]),
  ...more,
})

function surveyOf(instances: readonly Told[], balancers: OverlayInventory['balancers']) {
  const list = async (path: string) => (path.startsWith('/1.0/instances?') ? instances : [])
  const incus = { list } as unknown as Incus
  return survey({
    incus,
    overlay: { inventory: async () => ({ servers: new Map(), networks: new Map(), balancers }) },
    pool,
  })
}

test('a balancer is in force under the older generation of both engines', async () => {
  const older = rows({ generations: { server: 3, filter: -1, routing: -1, private: 2 } })
  const { inForce, things, unmarked } = await surveyOf(
    [balancer(7), balancer(8)],
    new Map([
      [7, rows()],
      [8, older],
    ]),
  )
  assert.deepEqual(
    [...inForce.load_balancer_state],
    [
      [7, 3],
      [8, 2],
    ],
  )
  assert.deepEqual([things.map(nameOf), unmarked], [['load balancer 7', 'load balancer 8'], []])
})

test('a balancer that either engine lacks is not in force, and what is left of it is a thing all the same', async () => {
  const { inForce, things } = await surveyOf([balancer(7)], new Map([[8, rows()]]))
  assert.deepEqual([...inForce.load_balancer_state], [])
  assert.deepEqual(things.map(nameOf), ['load balancer 7', 'load balancer 8'])
})

test('a balancer is told apart that has other rows, devices or another program than were written', async () => {
  const bare = balancer(8)
  const { eth1: _, ...devices } = bare.devices
  const old = balancer(9)
  const { inForce } = await surveyOf(
    [balancer(7), { ...bare, devices }, { ...old, config: { ...old.config, [equipmentKey]: 'older' } }, balancer(10)],
    new Map([
      [7, rows({ damaged: new Set(['server']) })],
      [8, rows()],
      [9, rows()],
      [10, rows({ damaged: new Set(['private']) })],
    ]),
  )
  const changed = [7, 8, 9, 10].map((id) => [id, 'changed'])
  assert.deepEqual([...inForce.load_balancer_state], changed)
})

test('nothing is known of what is on a host that does not answer', async () => {
  const away = (name: string): Told => ({ name, config: null, devices: {} })
  const { inForce, unmarked } = await surveyOf([away('lb-7'), away('srv-8')], new Map([[7, rows()]]))
  assert.deepEqual([...inForce.load_balancer_state], [[7, 'unknown']])
  for (const state of ['server_state', 'volume_attachment', 'network_interfaces'] as const)
    assert.deepEqual([...inForce[state]], [[8, 'unknown']], state)
  assert.deepEqual(unmarked, [])
})

test('a balancer that has lost any of its marks is told of, and gets all of them back', async () => {
  const { config } = balancer(7)
  const lacking = (...keys: readonly string[]) =>
    Object.fromEntries(Object.entries(config).filter(([key]) => !keys.includes(key)))
  const [id, kind] = ['user.wolke.id', 'user.wolke.kind']
  for (const keys of [[id], [kind], [id, kind]]) {
    const { inForce, unmarked } = await surveyOf([{ ...balancer(7), config: lacking(...keys) }], new Map([[7, rows()]]))
    assert.deepEqual([unmarked.map(nameOf), inForce.load_balancer_state.size], [['load balancer 7'], 0])
  }
  const changes: unknown[] = []
  const incus = {
    get: async () => ({ value: {}, etag: undefined }),
    change: async (...[method, path, body]: readonly unknown[]) => void changes.push([method, path, body]),
  } as unknown as Incus
  await remark({ incus, pool }, { kind: 'load_balancer', id: 7, generation: 3 })
  const marks = { [id]: '7', [kind]: 'load-balancer', 'user.wolke.generation': '3' }
  assert.deepEqual(changes, [['PATCH', '/1.0/instances/lb-7', { config: marks }]])
})

test("what has the marks of another id is somebody's copy", async () => {
  const { things, unmarked } = await surveyOf([{ ...balancer(7), name: 'lb-8' }], new Map())
  assert.deepEqual([things, unmarked], [[], []])
})
