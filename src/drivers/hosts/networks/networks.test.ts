/** Networks on an Incus that only remembers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Incus } from '../../../protocols/incus/client.ts'
import { incusNetworks, type NetworkParts } from './networks.ts'

const shape = { ipRange: '10.0.0.0/16', subnets: [], routes: [], exposesRoutes: false }

test("a network of the hosts' owner is left alone, whatever its name", async () => {
  const changes: string[] = []
  const theirs = { name: 'wn7', type: 'ovn', description: '', status: 'Created', config: {}, used_by: [] }
  const incus = {
    get: async () => ({ value: theirs, etag: 'any' }),
    list: async () => [],
    change: async (method: string, path: string) => void changes.push(`${method} ${path}`),
  } as unknown as Incus
  const tombstones = { put: async () => undefined, cover: async () => false }
  const overlay = { privateRoutes: async () => undefined, forgetNetwork: async () => undefined }
  const driver = incusNetworks({ incus, tombstones, overlay } as unknown as NetworkParts)
  const isPermanent = { message: "the hosts have a network wn7 that is not Wolke's", transient: false }
  await assert.rejects(driver.apply({ id: 7, generation: 1, shape }), isPermanent)
  await driver.apply({ id: 7, generation: 2, shape: null })
  assert.deepEqual(changes, [])
})

test('a network that a host died over is made anew', async () => {
  const marks = { 'user.wolke.id': '7', 'user.wolke.generation': '1' }
  const made = { name: 'wn7', type: 'ovn', description: '', config: marks, used_by: [] }
  let there: object | undefined = { ...made, status: 'Errored' }
  const changes: string[] = []
  const incus = {
    get: async () => there && { value: there, etag: 'any' },
    async change(method: string, path: string) {
      changes.push(`${method} ${path}`)
      there = method === 'DELETE' ? undefined : { ...made, status: 'Created' }
    },
  } as unknown as Incus
  const tombstones = { cover: async () => false }
  const overlay = {
    privateRoutes: async () => undefined,
    clearUnfinished: async (name: string) => void changes.push(`clear ${name}`),
  }
  const driver = incusNetworks({ incus, tombstones, overlay } as unknown as NetworkParts)
  await driver.apply({ id: 7, generation: 1, shape })
  assert.deepEqual(changes, ['clear wn7', 'DELETE /1.0/networks/wn7', 'POST /1.0/networks'])
})
