/** What a process remembers of servers that it has made, and what it leaves alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServerState } from '../../../families/servers/driver.ts'
import type { Incus } from '../../../protocols/incus/client.ts'
import type { Overlay, Placement } from '../overlay/overlay.ts'
import type { Tombstones } from '../tombstones.ts'
import { Servers } from './servers.ts'

interface Body {
  readonly name: string
  readonly action?: string
}

/** Hosts with 8 GiB of memory each, and which server of which placement group has which. */
class Hosts {
  readonly #instances = new Map<string, Body & { readonly location: string; readonly status: string }>()
  readonly #names: readonly string[]
  readonly taken = new Map<string, number>()
  readonly changes: string[] = []

  constructor(...names: readonly string[]) {
    this.#names = names
  }

  async get(path: string): Promise<unknown> {
    if (path.endsWith('/state')) return { value: { sysinfo: { total_ram: 8 * 2 ** 30 } } }
    if (path.startsWith('/1.0/images')) return path.endsWith('wolke-1') ? { value: {} } : undefined
    const value = this.#instances.get(path)
    return value && { value }
  }

  async list(path: string): Promise<unknown> {
    if (path.startsWith('/1.0/cluster')) {
      return this.#names.map((server_name) => ({ server_name, status: 'Online' }))
    }
    return [...this.#instances.values()]
  }

  /** Where instances are. */
  locations(): readonly string[] {
    return [...this.#instances.values()].map(({ location }) => location)
  }

  /** Its disks have no files. */
  async file(): Promise<undefined> {
    return undefined
  }

  async change(method: string, path: string, body: Body, { target }: { target?: string } = {}): Promise<void> {
    this.changes.push(`${method} ${path}`)
    if (method === 'POST')
      this.#instances.set(`${path}/${body.name}`, { ...body, location: target!, status: 'Stopped' })
    if (method === 'DELETE') this.#instances.delete(path)
    if (method !== 'PUT') return
    const name = path.replace(/\/state$/, '')
    const change = body.action ? { status: body.action === 'start' ? 'Running' : 'Stopped' } : body
    this.#instances.set(name, { ...this.#instances.get(name)!, ...change })
  }
}

const stateOf = (id: number): ServerState => ({
  ...{ id, generation: 1, location: 1, name: 'web', cores: 1, memoryMb: 6_000, diskGb: 10, image: 1 },
  ...{ installation: null, iso: null, userData: null, sshKeys: [], rootPasswordHash: null, passwordReset: null },
  ...{ rescue: null, power: 'off', manner: 'hard', cycle: null, ipv4: null, ipv6: null, placementGroup: 3 },
})

/** What one process has of the hosts. */
const serversOn = (hosts: Hosts) =>
  new Servers({
    media: undefined,
    incus: hosts as unknown as Incus,
    overlay: {
      reserve: async () => ({ ipv4: '172.31.0.9', ipv6: 'fd00::9' }),
      admit: async () => undefined,
      async takeHost(server: number, _: number, { group, host }: Placement) {
        const place = `${group}@${host}`
        if (!hosts.taken.has(place)) hosts.taken.set(place, server)
        return hosts.taken.get(place) === server
      },
      async forget(server: number) {
        for (const [place, id] of hosts.taken) if (id === server) hosts.taken.delete(place)
      },
    } as unknown as Overlay,
    tombstones: { cover: async () => false, put: async () => undefined } as unknown as Tombstones,
    options: { instanceType: 'container', nameServers: [], pool: 'disks', publicNetwork: 'pub' },
    overcommit: 1,
  })

test('the room and the group of a removed server are free again', async () => {
  const servers = serversOn(new Hosts('h1'))
  for (const id of [1, 2, 3]) {
    await servers.apply(stateOf(id))
    if (id === 3) await assert.rejects(servers.apply(stateOf(4)), { code: 'placement_error' })
    await servers.remove(id, 2)
  }
})

test('a server that runs is not stopped for an image that the hosts do not have', async () => {
  const hosts = new Hosts('h1')
  const servers = serversOn(hosts)
  await servers.apply({ ...stateOf(1), power: 'on', placementGroup: null })
  hosts.changes.length = 0
  const rebuilt = {
    ...stateOf(1),
    generation: 2,
    power: 'on',
    placementGroup: null,
    image: 2,
    installation: 9,
  } as const
  await assert.rejects(servers.apply(rebuilt), { message: 'the hosts do not have image 2', transient: false })
  assert.deepEqual(hosts.changes, ['PUT /1.0/instances/srv-1'])
})

test('processes that place servers of a group at the same moment choose different hosts', async () => {
  const hosts = new Hosts('h1', 'h2')
  const placed = await Promise.allSettled(
    [1, 2, 3].map((id) => serversOn(hosts).apply({ ...stateOf(id), memoryMb: 1_000 })),
  )
  const isPlaced = placed.map(({ status }) => status === 'fulfilled')
  assert.deepEqual(isPlaced.toSorted(), [false, true, true])
  assert.deepEqual([...hosts.taken.keys()].toSorted(), ['3@h1', '3@h2'])
  assert.deepEqual(hosts.locations().toSorted(), ['h1', 'h2'])
})
