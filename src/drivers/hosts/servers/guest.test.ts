/** What a container is told before it boots, on an Incus that only remembers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Incus, IncusError } from '../../../protocols/incus/client.ts'
import type { Instance } from '../../../protocols/incus/edit.ts'
import { boot, prepareBoot, removeInstance } from './guest.ts'

const seed = '/var/lib/cloud/seed/nocloud-net/network-config'
const folder = '/etc/cloud/cloud.cfg.d'
const own = `${folder}/80_wolke.cfg`
const container = { name: 'srv-7', type: 'container', config: { 'cloud-init.network-config': 'new' } } as unknown

/** Prepares the boot of a container that has some files, and tells which were written. */
async function prepareWith(files: Map<string, string>): Promise<string[]> {
  const written: string[] = []
  const pathIn = (url: string) => new URL(url, 'http://incus').searchParams.get('path')!
  const incus = {
    file: async (url: string) => files.get(pathIn(url)),
    async putFile(url: string, content: string) {
      written.push(pathIn(url))
      files.set(pathIn(url), content)
    },
  }
  await prepareBoot(incus as unknown as Incus, container as Instance)
  return written
}

test('a container reads its network at every boot, from the first one on', async () => {
  const files = new Map([[folder, '[]']])
  assert.deepEqual(await prepareWith(files), [own])
  assert.equal(files.get(own), 'updates: {"network":{"when":["boot","boot-new-instance"]}}\n')
  files.set(seed, 'old')
  assert.deepEqual(await prepareWith(files), [seed])
  assert.equal(files.get(seed), 'new')
  assert.deepEqual(await prepareWith(files), [])
})

test('a container without cloud-init is left as it is', async () => {
  assert.deepEqual(await prepareWith(new Map()), [])
})

test('a start that failed is a success only when the guest is known to run', async () => {
  const startOf = (status: string) => {
    const incus = {
      change: async () => {
        throw new IncusError(400, 'PUT /state', 'it has failed')
      },
      get: async () => ({ value: { status } }),
    }
    return boot(incus as unknown as Incus, 'srv-7')
  }
  await startOf('Running')
  await assert.rejects(startOf('Stopped'), { transient: false })
  await assert.rejects(startOf('Error'), { transient: true, code: 'unavailable' })
})

test('an instance that has got power again is removed later, and one that is gone is removed', async () => {
  const removal = (status: string | undefined) => {
    const incus = {
      change: async () => {
        throw new IncusError(400, 'DELETE /1.0/instances/srv-7', 'it is running')
      },
      get: async () => (status === undefined ? undefined : { value: { status } }),
    }
    return removeInstance(incus as unknown as Incus, 'srv-7')
  }
  await assert.rejects(removal('Running'), { transient: true })
  await assert.rejects(removal('Stopped'), { transient: false, message: /DELETE/ })
  await removal(undefined)
})
