/** Containers of the image as engines make them: unpacked by umoci, run by runc, in a network without others. */
import { execFile, execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Ran } from './machine.ts'

interface Mount {
  readonly destination: string
  readonly type: string
  readonly source: string
  readonly options?: readonly string[]
}

/** What runc is told of a container (config.json of OCI's runtime specification), as far as it matters here. */
interface Bundle {
  readonly process: {
    readonly user: { readonly uid: number; readonly gid: number }
    readonly args: readonly string[]
    readonly env: readonly string[]
    readonly cwd: string
  }
  readonly mounts: readonly Mount[]
  readonly linux: { readonly namespaces: readonly { readonly type: string }[] }
}

export interface Image {
  /** What its process is. */
  readonly process: Bundle['process']
  /** The file system of its containers. */
  readonly root: string
  /** The folder of this machine that is the volume with the data of all containers. */
  readonly data: string
  /** A command that runs a container to its end, with the arguments of the image or with others. */
  start(name: string, args?: readonly string[]): string
  /** A command that runs another one within a container. */
  within(name: string, command: string): string
}

/**
 * Unpacks an archive of the image into a folder that is there. Its containers have no capability and a root that is
 * read-only: only the volume can be written to and, as engines mount it for whoever asks, /tmp.
 */
export function unpack(archive: string, folder: string): Image {
  const [layout, bundle, data] = [join(folder, 'layout'), join(folder, 'bundle'), join(folder, 'data')]
  for (const path of [layout, data]) mkdirSync(path)
  execFileSync('tar', ['-xf', archive, '-C', layout])
  const { manifests } = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8'))
  const tag = manifests[0].annotations['org.opencontainers.image.ref.name']
  execFileSync('umoci', ['unpack', '--image', `${layout}:${tag}`, bundle])
  const made: Bundle = JSON.parse(readFileSync(join(bundle, 'config.json'), 'utf8'))
  const { process } = made
  // A new volume belongs to whom its folder in the image belongs to.
  chownSync(data, process.user.uid, process.user.gid)
  const root = join(bundle, 'rootfs')
  const runc = `runc --root ${join(folder, 'state')}`
  return {
    ...{ process, root, data },
    start(name, args = process.args) {
      const own = join(folder, name)
      mkdirSync(own)
      writeFileSync(
        join(own, 'config.json'),
        JSON.stringify({ ...confined(made, root, data), ...asked(process, args) }),
      )
      return `${runc} run --bundle ${own} ${name}`
    },
    within: (name, command) => `${runc} exec ${name} ${command}`,
  }
}

const asked = (process: Bundle['process'], args: readonly string[]) => ({
  process: { ...process, args, terminal: false, capabilities: {} },
})

function confined(made: Bundle, path: string, data: string): Bundle {
  const kept = made.mounts.filter(({ type, destination }) => type !== 'cgroup' && destination !== '/var/lib/wolke')
  const volume = { destination: '/var/lib/wolke', type: 'bind', source: data, options: ['bind', 'nosuid', 'nodev'] }
  const temporary = { destination: '/tmp', type: 'tmpfs', source: 'tmpfs', options: ['mode=1777', 'nosuid', 'nodev'] }
  // A container is in the network of the script that starts it.
  const namespaces = made.linux.namespaces.filter(({ type }) => !type.startsWith('net'))
  const root = { path, readonly: true }
  return { ...made, ...{ root }, mounts: [...kept, volume, temporary], linux: { ...made.linux, namespaces } }
}

/** Runs a script of sh to its end, in a network of its own. Containers that it leaves behind end with it. */
export function alone(script: string): Promise<Ran> {
  const namespaces = ['--net', '--mount', '--pid', '--mount-proc', '--fork', '--kill-child']
  const text = `ip link set lo up\n${script}`
  return new Promise((resolve) => {
    execFile('unshare', [...namespaces, 'sh', '-euc', text], { maxBuffer: 1 << 24 }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr })
    })
  })
}
