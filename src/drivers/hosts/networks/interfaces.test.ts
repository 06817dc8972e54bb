/** What a container is told of its private network, on an Incus that only remembers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Incus } from '../../../protocols/incus/client.ts'
import type { Overlay } from '../overlay/overlay.ts'
import { incusInterfaces } from './interfaces.ts'

test('a container that joins a network while it runs is still in it when it boots with its host', async () => {
  const instance = { name: 'srv-7', type: 'container', status: 'Running', config: {}, devices: {} }
  const network = { config: { 'ipv4.address': '10.0.0.1/16' } }
  let seed = 'old'
  const incus = {
    get: async (path: string) => ({ value: path === '/1.0/networks/wn5' ? network : instance }),
    change: async (_method: string, path: string, body: object) => {
      if (path === '/1.0/instances/srv-7') Object.assign(instance, body)
    },
    file: async () => seed,
    async putFile(_path: string, content: string) {
      seed = content
    },
  } as unknown as Incus
  const overlay = { admitPrivate: async () => undefined } as unknown as Overlay
  const place = { networkId: 5, ip: '10.0.0.2', aliasIps: [], mac: '86:00:00:00:00:01' }
  const interfaces = [{ ...place, subnet: '10.0.0.0/24', gateway: '10.0.0.1' }]
  await incusInterfaces({ incus, overlay }).apply({ serverId: 7, location: 1, generation: 1, interfaces })
  assert.deepEqual(JSON.parse(seed).ethernets.eth1.addresses, ['10.0.0.2/32'])
})
