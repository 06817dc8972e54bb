/** Which member takes a server. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DriverError } from '../../kernel/actions/define.ts'
import { type Incus, IncusError } from '../../protocols/incus/client.ts'
import { type Candidate, candidatesOf, onAllMembers, onMember, Placements, place } from './members.ts'

const member = (name: string, more: Partial<Candidate> = {}): Candidate => ({
  name,
  memoryMb: 8_192,
  promisedMb: 0,
  servers: new Set(),
  groups: new Set(),
  ...more,
})
const need = (memoryMb: number, placementGroup: number | null = null) => ({ memoryMb, placementGroup })

test('a server goes where the most memory is left', () => {
  assert.equal(place([member('h1', { promisedMb: 4_096 }), member('h2')], need(2_048)), 'h2')
})

test('servers of a group that are made at the same time go to different members', () => {
  const placements = new Placements()
  const before = [member('h1'), member('h2')]
  assert.equal(placements.choose(1, before, need(2_048, 7)), 'h1')
  assert.equal(placements.choose(2, before, need(2_048, 7)), 'h2')
  const isFull = ({ code }: DriverError) => code === 'placement_error'
  assert.throws(() => placements.choose(3, before, need(2_048, 7)), isFull)
  placements.forget(2)
  assert.equal(placements.choose(3, before, need(2_048, 7)), 'h2')
})

test('a server counts once when it is shown', () => {
  const placements = new Placements()
  assert.equal(placements.choose(1, [member('h1')], need(5_000)), 'h1')
  assert.throws(() => placements.choose(2, [member('h1')], need(5_000)))
  const shown = member('h1', { servers: new Set([1]), promisedMb: 3_000 })
  assert.equal(placements.choose(2, [shown], need(5_000)), 'h1')
})

test('a member that does not answer takes no server, also while Incus calls it online', async () => {
  const members = ['h1', 'h2', 'h3'].map((server_name) => ({ server_name, url: '', status: 'Online' }))
  const instances: object[] = [{ name: 'srv-5', location: 'h2', config: null }]
  const silent = new Set(['h1'])
  const incus = {
    list: async (path: string) => (path.startsWith('/1.0/cluster') ? members : instances),
    async get(path: string) {
      if ([...silent].some((name) => path.includes(name))) throw new IncusError(503, path, 'away')
      return { value: { sysinfo: { total_ram: 2 ** 33 } } }
    },
  } as unknown as Incus
  const namesOf = async () => (await candidatesOf(incus, 1, 7)).map(({ name }) => name)
  assert.deepEqual(await namesOf(), ['h3'])
  silent.add('h3')
  await assert.rejects(namesOf(), { message: 'no host answers', transient: true })
  members.length = 0
  assert.deepEqual(await namesOf(), [])
})

test('a call that fails names the member that does not answer, also while Incus calls it online', async () => {
  const silent = new Set(['h2'])
  const members = ['h1', 'h2'].map((server_name) => ({ server_name, url: '', status: 'Online' }))
  const incus = {
    list: async (path: string) => (path.startsWith('/1.0/cluster') ? members : [{ location: 'h1' }]),
    async get(path: string) {
      if ([...silent].some((name) => path.includes(name))) throw new IncusError(500, path, 'no route to host')
      return { value: { sysinfo: { total_ram: 2 ** 33 } } }
    },
  } as unknown as Incus
  const failing = async () => {
    throw new IncusError(500, 'GET /1.0/instances/srv-7', 'it failed')
  }
  await assert.rejects(onAllMembers(incus, failing), { message: 'the host h2 is gone', transient: true })
  await assert.rejects(onMember(incus, 'srv-7', failing), { name: 'Error', status: 500 })
  silent.add('h1')
  await assert.rejects(onMember(incus, 'srv-7', failing), { message: 'the host h1 is gone', transient: true })
})
