/** What a process remembers of servers that it has made. */
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

  async get(path: string): Promise<unknown> {
    if (path.endsWith('/state')) return { value: { sysinfo: { total_ram: 8 * 2 ** 30 } } }
    if (path.startsWith('/1.0/images')) return { value: {} }
    const value = this.#instances.get(path)
    return value && { value }
  }

  async list(path: string): Promise<unknown> {
    if (path.startsWith('/1.0/cluster')) return [{ server_name: 'h1', status: 'Online' }]
    return [...this.#instances.values()]
  }

  async change(method: string, path: string, body: { name: string }): Promise<void> {
    if (method === 'POST') this.#instances.set(`${path}/${body.name}`, { ...body, location: 'h1', status: 'Stopped' })
    if (method === 'DELETE') this.#instances.delete(path)
  }
}

const stateOf = (id: number): ServerState => ({
  ...{ id, generation: 1, location: 1, name: 'web', cores: 1, memoryMb: 6_000, diskGb: 10, image: 1 },
  ...{ installation: null, iso: null, userData: null, sshKeys: [], rootPasswordHash: null, passwordReset: null },
  ...{ rescue: null, power: 'off', manner: 'hard', cycle: null, ipv4: null, ipv6: null, placementGroup: 3 },
})

test('the room and the group of a removed server are free again', async () => {
  const servers = new Servers({
    media: undefined,
    incus: new Host() as unknown as Incus,
    overlay: {
      reserve: async () => ({ ipv4: '172.31.0.9', ipv6: 'fd00::9' }),
      admit: async () => undefined,
      forget: async () => undefined,
    } as unknown as Overlay,
    tombstones: { cover: async () => false, put: async () => undefined } as unknown as Tombstones,
    options: { instanceType: 'container', nameServers: [], pool: 'disks', publicNetwork: 'pub' },
    overcommit: 1,
  })
  for (const id of [1, 2, 3]) {
    await servers.apply(stateOf(id))
    if (id === 3) await assert.rejects(servers.apply(stateOf(4)), { code: 'placement_error' })
    await servers.remove(id, 2)
  }
})
