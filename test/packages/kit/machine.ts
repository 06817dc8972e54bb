/** Clean Debian 12 machines in which packages are installed: file systems without a network, and no more than apt needs. */
import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { release, sources } from '../../../lab/sources.ts'

const root = join(import.meta.dirname, '../../..')
const cache = join(root, 'node_modules/.cache/packages')

/** What the package depends on besides what every Debian has, which apt would get from a mirror. */
const dependencies = ['adduser', 'init-system-helpers', 'libstdc++6']
/** What the tests need. */
const tools = ['ca-certificates', 'curl', 'iproute2', 'openssl']

/** Made once, and kept until it would be made differently. */
async function cleanTree(): Promise<string> {
  const from = await sources()
  const recipe = [...dependencies, ...tools, ...from].join()
  const path = join(cache, `${release}-${createHash('sha256').update(recipe).digest('hex').slice(0, 12)}.tar`)
  if (existsSync(path)) return path
  mkdirSync(cache, { recursive: true })
  const unfinished = `${path}.${process.pid}.tar`
  const how = ['--mode=root', '--variant=minbase', '--dpkgopt=force-unsafe-io', '--quiet']
  execFileSync(
    'mmdebstrap',
    [...how, `--include=${[...dependencies, ...tools].join()}`, release, unfinished, ...from],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  )
  renameSync(unfinished, path)
  return path
}

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Machine {
  /** Its file system. */
  readonly root: string
  /** Copies a file to a path of it. */
  give(file: string, path: string): void
  /** Runs a script of sh as its root to its end, in a network of its own. Processes that it leaves behind end with it. */
  run(script: string): Promise<Ran>
  /** The same for what has to end with 0; its output. */
  must(script: string): Promise<string>
}

/** Makes a machine in a folder that is not there yet. */
export async function cleanMachine(folder: string): Promise<Machine> {
  mkdirSync(folder)
  execFileSync('tar', ['-xf', await cleanTree(), '-C', folder])
  const begin = [
    `mount --bind ${folder} ${folder}`,
    `mount -t proc proc ${folder}/proc`,
    `mount --rbind /dev ${folder}/dev`,
    'ip link set lo up',
    `exec chroot ${folder} sh -euc "$1"`,
  ].join(' && ')
  const run = (script: string) => {
    const env = {
      PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      LC_ALL: 'C.UTF-8',
      DEBIAN_FRONTEND: 'noninteractive',
    }
    const alone = ['--net', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', begin, 'sh', script]
    return new Promise<Ran>((resolve) => {
      execFile('unshare', alone, { env, maxBuffer: 1 << 24 }, (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr })
      })
    })
  }
  return {
    root: folder,
    give(file, path) {
      mkdirSync(join(folder, path, '..'), { recursive: true })
      copyFileSync(file, join(folder, path))
    },
    run,
    async must(script) {
      const { code, stdout, stderr } = await run(script)
      if (code !== 0) throw new Error(`${script}\nended with ${code}:\n${stdout}${stderr}`)
      return stdout
    },
  }
}

/** The values of a setting of a unit, in their order. */
export function settings(unit: string, name: string): string[] {
  return [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value!)
}

/** The hcloud command line that machines are given. */
export const hcloudProgram = process.env.WOLKE_TEST_HCLOUD ?? '/usr/bin/hcloud'

/** A script that runs `use` once the API of the server that `start` becomes answers, and ends it. What `log` has tells why it ended. */
export function serving(start: string, log: string, use: string): string {
  return `
( ${start} ) &
pid=$!
until bash -c ': </dev/tcp/127.0.0.1/8080' 2>/dev/null; do
  kill -0 $pid 2>/dev/null || { cat ${log} >&2; exit 1; }
  sleep 0.1
done
${use}
kill $pid
wait $pid
`
}

/**
 * A script that does for a service what systemd would: its user, environment and folder, no capabilities, and a file system
 * that is read-only but for its state. It runs `use` meanwhile; the log is in /tmp/log.
 */
export function whileServing(machine: Machine, use: string): string {
  const unit = readFileSync(join(machine.root, 'usr/lib/systemd/system/wolke.service'), 'utf8')
  const one = (name: string) => settings(unit, name)[0]!
  const user = `--reuid=${one('User')} --regid=${one('Group')} --init-groups --inh-caps=-all --bounding-set=-all --no-new-privs`
  const start = `
  set -a; ${settings(unit, 'Environment').join('; ')}; . ${one('EnvironmentFile').slice(1)}; set +a
  cd ${one('WorkingDirectory')}; umask ${one('UMask')}
  exec setpriv ${user} ${one('ExecStart')} >/dev/null 2>/tmp/log`
  return `
mount -o remount,bind,ro / && mount --bind ${one('WorkingDirectory')} ${one('WorkingDirectory')}
mount -o remount,bind,rw ${one('WorkingDirectory')} && mount -t tmpfs tmpfs /tmp
${serving(start, '/tmp/log', use)}`
}

/**
 * Makes the package for Debian, without compression, which would take a minute, and with a fixed time: `folder`, then a version.
 * Returns its path.
 */
export function makePackage(...args: readonly string[]): string {
  const env = { ...process.env, SOURCE_DATE_EPOCH: '1795970667', DPKG_DEB_COMPRESSOR_TYPE: 'none' }
  const script = join(root, 'scripts/packages/deb.ts')
  return execFileSync(process.execPath, [script, ...args], { cwd: root, env, encoding: 'utf8' }).trim()
}
