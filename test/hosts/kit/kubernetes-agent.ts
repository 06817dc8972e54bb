/** The agent of Kubernetes and containerd in servers, and an image for pods. */
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Lab } from '../../../lab/lab.ts'
import type { Json } from '../../conformance/stage.ts'
import { inGuest, onHost, output } from './guests.ts'
import { type Kubernetes, programs } from './kubernetes.ts'

/** What an agent needs of the folder that `programs` names, beside itself. */
const parts = ['kubelet', 'containerd', 'containerd-shim-runc-v2', 'ctr', 'runc', 'bridge', 'host-local', 'loopback']
const script = readFileSync(join(import.meta.dirname, 'kubernetes-agent.sh'), 'utf8')
const place = '/opt/kubernetes'

/** The reference of the image that every agent has: `busybox`, which sleeps unless it is told something else. */
export const podImage = 'pods.example/busybox:1'

/** Starts an agent in each of some servers, whose pods have their addresses in the range of the same index. */
export async function startAgents(
  lab: Lab,
  kubernetes: Kubernetes,
  servers: readonly Json[],
  ranges: readonly string[],
): Promise<void> {
  const image = await makeImage(kubernetes.folder)
  // Incus reads files of its host, and this folder of it is one of this machine.
  const [first] = lab.members
  const archive = 'agent.tar'
  const all = parts.flatMap((part) => ['-C', programs!, part])
  await output(['tar', '-cf', join(lab.folder, first!.name, 'incus', archive), '-C', image, 'image.tar', ...all])
  for (const [index, { id, name }] of servers.entries()) {
    await onHost(first!, 'incus', 'file', 'push', '--quiet', `/var/lib/incus/${archive}`, `srv-${id}/root/${archive}`)
    const unpacking = `mkdir ${place} && tar -C ${place} --no-same-owner -xf /root/${archive} && rm /root/${archive}`
    await output(inGuest(lab, id, ['sh', '-c', unpacking]))
    await output(inGuest(lab, id, ['sh', '-s', name, kubernetes.url, kubernetes.token, ranges[index]!]), script)
  }
}

/** Makes an archive of an image below a folder, and returns the folder that it is in. */
async function makeImage(folder: string): Promise<string> {
  const draft = join(folder, 'image')
  const programsInside = join(draft, 'root/bin')
  mkdirSync(programsInside, { recursive: true })
  copyFileSync(join(programs!, 'busybox'), join(programsInside, 'busybox'))
  for (const name of ['sh', 'httpd', 'sleep']) symlinkSync('busybox', join(programsInside, name))
  const tar = ['tar', '--owner=0', '--group=0', '-cf'] as const
  await output([...tar, join(draft, 'layer.tar'), '-C', join(draft, 'root'), '.'])
  const digest = createHash('sha256')
    .update(readFileSync(join(draft, 'layer.tar')))
    .digest('hex')
  const config = {
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    os: 'linux',
    config: { Cmd: ['sleep', '1000000'], Env: ['PATH=/bin'] },
    rootfs: { type: 'layers', diff_ids: [`sha256:${digest}`] },
  }
  const manifest = [{ Config: 'config.json', RepoTags: [podImage], Layers: ['layer.tar'] }]
  writeFileSync(join(draft, 'config.json'), JSON.stringify(config))
  writeFileSync(join(draft, 'manifest.json'), JSON.stringify(manifest))
  await output([...tar, join(draft, 'image.tar'), '-C', draft, 'manifest.json', 'config.json', 'layer.tar'])
  return draft
}
