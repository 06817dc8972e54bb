/** What virtual machines boot from, call by call, on an Incus that only remembers. Real ones need KVM: `npm run test:kvm`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyServer } from '../../../../test/kit/samples/server-states.ts'
import type { ServerState } from '../../../families/servers/driver.ts'
import type { Incus } from '../../../protocols/incus/client.ts'
import type { Instance } from '../../../protocols/incus/edit.ts'
import { Media } from '../images/media.ts'
import { type ServerParts, Servers } from './servers.ts'

const wanted: ServerState = { ...emptyServer, cores: 2, memoryMb: 4096, diskGb: 80, power: 'on' }
const rescue = { sshKeys: [], rootPasswordHash: '$6$r$s' }

/**
 * Virtual machines on one host with some ISOs. `changes` are the calls that changed something, `boots` what was booted,
 * `fail` lets the machine hang.
 */
function machinesWith(...isos: readonly string[]) {
  let instance: Instance | undefined
  const changes: string[] = []
  const boots: (string | undefined)[] = []
  const priority = ({ path, ...device }: Instance['devices'][string]) =>
    Number(device['boot.priority'] ?? (path === '/' ? 1 : 0))
  const change = async (method: string, path: string, body: Partial<Instance> & { action?: string }) => {
    changes.push(`${method} ${path.replace('/1.0/instances', '')}`)
    if (method === 'POST') instance = { location: 'h1', status: 'Stopped', ...body } as Instance
    else if (!path.endsWith('/state')) instance = { ...instance!, ...body }
    else {
      const isStart = body.action === 'start'
      instance = { ...instance!, status: isStart ? 'Running' : 'Stopped' }
      const [first] = Object.values(instance.devices).sort((a, b) => priority(b) - priority(a))
      if (isStart) boots.push(first!.source ?? 'disk')
    }
  }
  const get = async (path: string) => {
    if (path === '/1.0/instances/srv-7') return instance && { value: instance, etag: 'any' }
    return { value: {}, etag: undefined }
  }
  const list = async (path: string) =>
    path.includes('/volumes/') ? isos.map((name) => ({ name, location: 'h1' })) : []
  const incus = { get, list, change } as unknown as Incus
  const servers = new Servers({
    incus,
    media: new Media({ incus, pool: 'local', log: { warn: () => undefined } }),
    overlay: {
      reserve: async () => ({ ipv4: '172.31.0.7', ipv6: 'fd00:172:31::7' }),
      admit: async () => undefined,
    } as unknown as ServerParts['overlay'],
    tombstones: { cover: async () => false } as unknown as ServerParts['tombstones'],
    options: { instanceType: 'virtual-machine', pool: 'local', publicNetwork: 'pub', nameServers: [] },
    overcommit: 1,
  })
  const fail = () => {
    instance = { ...instance!, status: 'Error' }
  }
  return { servers, changes, boots, fail }
}

test('a rescue system is booted once, by the next boot through the API, and before an ISO and the disk', async () => {
  const { servers, boots } = machinesWith('wolke-rescue', 'wolke-iso-8637')
  await servers.apply(wanted)
  await servers.apply({ ...wanted, generation: 2, iso: 8637 })
  await servers.apply({ ...wanted, generation: 3, iso: 8637, rescue })
  assert.deepEqual(boots, ['disk'], 'neither starts a boot')
  const rescued = { ...wanted, generation: 4, iso: 8637, rescue, cycle: 2 }
  await servers.apply(rescued)
  await servers.apply(rescued)
  await servers.apply({ ...wanted, generation: 5, iso: 8637, cycle: 3 })
  await servers.apply({ ...wanted, generation: 6, cycle: 4 })
  assert.deepEqual(boots, ['disk', 'wolke-rescue', 'wolke-iso-8637', 'disk'])
})

test('what a host cannot boot is refused before anything of the server is changed', async () => {
  const { servers, changes } = machinesWith('wolke-iso-8637')
  await servers.apply(wanted)
  const before = [...changes]
  const refused = (message: string) => ({ message, transient: false, code: 'resource_unavailable' })
  await assert.rejects(
    servers.apply({ ...wanted, generation: 2, iso: 551 }),
    refused('the host h1 does not have ISO 551'),
  )
  const without = refused('the host h1 does not have the rescue system')
  await assert.rejects(servers.apply({ ...wanted, generation: 3, rescue, cycle: 2 }), without)
  assert.deepEqual(changes, before)
})

test('a machine of which its host does not know whether it runs is not called running, and gets its power back by a reset', async () => {
  const { servers, boots, fail } = machinesWith()
  await servers.apply(wanted)
  fail()
  await assert.rejects(servers.apply({ ...wanted, generation: 2 }), {
    message: 'the host of the server does not know whether it runs',
    transient: true,
  })
  await servers.apply({ ...wanted, generation: 3, cycle: 2 })
  fail()
  await servers.apply({ ...wanted, generation: 4, power: 'off' })
  assert.deepEqual(boots, ['disk', 'disk'])
})
