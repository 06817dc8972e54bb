/** A volume that is moved between hosts is never lost, whoever is cut off or comes in between. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Incus } from '../../../protocols/incus/client.ts'
import type { Tombstones } from '../tombstones.ts'
import { incusVolumes, type StoredVolume } from './volumes.ts'

const volumes = '/1.0/storage-pools/disks/volumes/custom'

/** Two hosts with volume 7, to which server 1 on `h1` or server 2 on `h2` is attached. */
class Hosts {
  readonly copies = new Map<string, StoredVolume>()
  /** Called when a copy is made, before whoever asked for it learns of that. */
  copied: () => Promise<void> = async () => undefined

  constructor() {
    this.#put('h1', {})
  }

  #put(location: string, config: StoredVolume['config']): void {
    const marks = { 'user.wolke.id': '7', 'user.wolke.generation': '1' }
    this.copies.set(location, { name: 'vol-7', type: 'custom', config: { ...marks, ...config }, location, used_by: [] })
  }

  async get(path: string): Promise<unknown> {
    const [, server] = /^\/1\.0\/instances\/srv-(\d)$/.exec(path) ?? []
    if (server) return { value: { name: `srv-${server}`, location: `h${server}`, config: {}, devices: {} } }
    if (path.startsWith('/1.0/operations')) return { value: {} }
    const value = this.copies.get(path.split('target=')[1]!)
    return value && { value: { ...value }, etag: JSON.stringify(value.config) }
  }

  async list(path: string): Promise<unknown> {
    return path.startsWith(volumes) ? [...this.copies.values()] : []
  }

  async change(method: string, path: string, body: Pick<StoredVolume, 'config'>, { target = '' } = {}): Promise<void> {
    const at = path.split('target=')[1]!
    if (method === 'DELETE') this.copies.delete(at)
    if (method === 'PATCH') this.#put(at, { ...this.copies.get(at)?.config, ...body.config })
    if (method !== 'POST') return
    this.#put(target, body.config)
    await this.copied()
  }
}

function openVolumes(hosts: Hosts) {
  const incus = hosts as unknown as Incus
  const driver = incusVolumes({ incus, tombstones: {} as Tombstones, pool: 'disks', instanceType: 'container' })
  return (serverId: number) =>
    driver.attach({ serverId, location: 1, generation: 1, volumes: [{ id: 7, automount: false }] })
}

const placesOf = ({ copies }: Hosts) => [...copies.keys()]

test('a move that is cut off leaves the volume where it was, also after earlier moves', async () => {
  const hosts = new Hosts()
  const attach = openVolumes(hosts)
  await attach(2)
  assert.deepEqual(placesOf(hosts), ['h2'])
  hosts.copied = async () => {
    throw new Error('cut off')
  }
  await assert.rejects(attach(1), /cut off/)
  assert.deepEqual(placesOf(hosts), ['h2', 'h1'])
  await attach(2)
  assert.deepEqual(placesOf(hosts), ['h2'])
})

test('a move that somebody else has given up takes nothing away', async () => {
  const hosts = new Hosts()
  const attach = openVolumes(hosts)
  hosts.copied = async () => {
    hosts.copied = async () => undefined
    await attach(1)
  }
  await assert.rejects(attach(2), { transient: true })
  assert.deepEqual(placesOf(hosts), ['h1'])
  await attach(2)
  assert.deepEqual(placesOf(hosts), ['h2'])
})
