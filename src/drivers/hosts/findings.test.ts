/** What an operator is told of a cluster, from what its engines say. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Incus } from '../../protocols/incus/client.ts'
import { findings, type WantedImage } from './findings.ts'
import type { ClusterOptions } from './options.ts'
import type { Overlay } from './overlay/overlay.ts'

const member = (name: string, status = 'Online') => ({
  server_name: name,
  status,
  url: `https://${name}:8443`,
  architecture: 'x86_64',
})

/** What a cluster has at its paths, with KVM on its first host alone. */
const answers: Readonly<Record<string, unknown>> = {
  '/1.0': { environment: { server_version: '6.0.4', driver: 'lxc' } },
  '/1.0?target=h1': { environment: { server_version: '6.0.4', driver: 'lxc | qemu' } },
  '/1.0?target=h2': { environment: { server_version: '6.0.4', driver: 'lxc' } },
  '/1.0/cluster/members?recursion=1': [member('h1'), member('h2'), member('h3', 'Offline')],
  '/1.0/networks/UPLINK': { type: 'physical' },
  '/1.0/images/aliases?recursion=1': [{ name: 'wolke-1' }],
}

const incus = {
  get: async (path: string) => (path in answers ? { value: answers[path], etag: undefined } : undefined),
  list: async (path: string) => answers[path] ?? [],
} as unknown as Incus
const overlay = { converged: async () => undefined } as unknown as Overlay

const images: readonly WantedImage[] = [
  { id: 1, name: 'debian-12', architecture: 'x86' },
  { id: 2, name: 'debian-13', architecture: 'x86' },
  { id: 3, name: 'debian-12', architecture: 'arm' },
]

async function found(options: Pick<ClusterOptions, 'instanceType' | 'uplink'>) {
  const all = await findings({ incus, media: undefined, overlay }, options as ClusterOptions, images)
  return new Map(all.map(({ what, isFine, says }) => [what, `${isFine ? 'ok' : 'FAILS'} ${says}`]))
}

test('hosts that do not answer fail, and those that cannot run what servers are', async () => {
  const containers = await found({ instanceType: 'container', uplink: 'UPLINK' })
  assert.equal(containers.get('host h2'), 'ok Online at https://h2:8443')
  assert.equal(containers.get('host h3'), 'FAILS Offline at https://h3:8443')
  const machines = await found({ instanceType: 'virtual-machine', uplink: 'UPLINK' })
  assert.equal(machines.get('host h1'), 'ok Online at https://h1:8443')
  assert.equal(machines.get('host h2'), 'FAILS Online at https://h2:8443, but cannot run virtual machines')
})

test('a network that is not there fails, and images are those that the hosts can run', async () => {
  const all = await found({ instanceType: 'container', uplink: 'wan' })
  assert.equal(all.get('uplink wan'), 'FAILS is not there')
  assert.equal(all.get('images'), 'ok 1 of 2 that the catalogue has for these hosts; without wolke-2 (debian-13)')
})
