/** What a process remembers of servers that it has made, and what it leaves alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServerState } from '../../families/servers/driver.ts'
import type { Incus } from './client.ts'
import type { Overlay } from './ovn/overlay.ts'
import { Servers } from './servers.ts'
import type { Tombstones } from './tombstones.ts'

/** One host with 8 GiB of memory. */
class Host {
  readonly #instances = new Map<string, object>()
  readonly changes: string[] = []

  async get(path: string): Promise<unknown> {
    if (path.endsWith('/state')) return { value: { sysinfo: { total_ram: 8 * 2 ** 30 } } }
    if (path.startsWith('/1.0/images')) return path.endsWith('wolke-1') ? { value: {} } : undefined
    const value = this.#instances.get(path)
    return value && { value }
  }

  async list(path: string): Promise<unknown> {
    if (path.startsWith('/1.0/cluster')) return [{ server_name: 'h1', status: 'Online' }]
    return [...this.#instances.values()]
  }

  /** Its disks have no files. */
  async file(): Promise<undefined> {
    return undefined
  }

  async change(method: string, path: string, body: { name: string; action?: string }): Promise<void> {
    this.changes.push(`${method} ${path}`)
    if (method === 'POST') this.#instances.set(`${path}/${body.name}`, { ...body, location: 'h1', status: 'Stopped' })
    if (method === 'DELETE') this.#instances.delete(path)
    if (method !== 'PUT') return
    const name = path.replace(/\/state$/, '')
    const change = body.action ? { status: body.action === 'start' ? 'Running' : 'Stopped' } : body
    this.#instances.set(name, { ...this.#instances.get(name), ...change })
  }
}

const stateOf = (id: number): ServerState => ({
  ...{ id, generation: 1, location: 1, name: 'web', cores: 1, memoryMb: 6_000, diskGb: 10, image: 1 },
  ...{ installation: null, iso: null, userData: null, sshKeys: [], rootPasswordHash: null, passwordReset: null },
  ...{ rescue: null, power: 'off', manner: 'hard', cycle: null, ipv4: null, ipv6: null, placementGroup: 3 },
})

const serversOn = (host: Host) =>
  new Servers({
    media: undefined,
    incus: host as unknown as Incus,
    overlay: {
      reserve: async () => ({ ipv4: '172.31.0.9', ipv6: 'fd00::9' }),
      admit: async () => undefined,
      forget: async () => undefined,
    } as unknown as Overlay,
    tombstones: { cover: async () => false, put: async () => undefined } as unknown as Tombstones,
    options: { instanceType: 'container', nameServers: [], pool: 'disks', publicNetwork: 'pub' },
    overcommit: 1,
  })

test('the room and the group of a removed server are free again', async () => {
  const servers = serversOn(new Host())
  for (const id of [1, 2, 3]) {
    await servers.apply(stateOf(id))
    if (id === 3) await assert.rejects(servers.apply(stateOf(4)), { code: 'placement_error' })
    await servers.remove(id, 2)
  }
})

test('a server that runs is not stopped for an image that the hosts do not have', async () => {
  const host = new Host()
  const servers = serversOn(host)
  await servers.apply({ ...stateOf(1), power: 'on', placementGroup: null })
  host.changes.length = 0
  const rebuilt = {
    ...stateOf(1),
    generation: 2,
    power: 'on',
    placementGroup: null,
    image: 2,
    installation: 9,
  } as const
  await assert.rejects(servers.apply(rebuilt), { message: 'the hosts do not have image 2', transient: false })
  assert.deepEqual(host.changes, ['PUT /1.0/instances/srv-1'])
})
