/** Two servers of SFTP with the same clients: the doors of Storage Boxes, and OpenSSH with its `internal-sftp`. */
import { execFile, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openDoors } from '../src/drivers/storage/doors/process/doors.ts'
import { hashPassword } from '../src/kernel/secrets/password-hash.ts'
import { freePort, type Workshop } from './processes.ts'

const run = promisify(execFile)

export interface Site {
  /** Clients come in as this user; the path of a file begins with `home`. */
  readonly user: string
  readonly home: string
  readonly port: number
  /** The server itself. */
  readonly pid: number
  /** Files that were sent are found here. */
  readonly directory: string
  /** All clients of SSH are told these. */
  readonly options: readonly string[]
  /** The path of the private key that lets in. */
  readonly key: string
}

export interface Sites {
  readonly wolke: Site & { readonly webdavPort: number }
  readonly bare: Site
  /** The clients are here. */
  readonly local: string
}

export const password = 'The-password-0f-a-box'
/** Accounts of the box, each of which may have ten connections. */
export const accounts = Array.from({ length: 200 }, (_, index) => `u${index}`)

const box = { id: 1, uid: 71_000, gid: 71_000 }

async function makeKey(workshop: Workshop): Promise<{ key: string; text: string }> {
  const key = workshop.file('key')
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  return { key, text: readFileSync(`${key}.pub`, 'utf8').trim() }
}

const optionsFor = (key: string, known: string) => [
  ...['-F', 'none', '-i', key, '-o', 'BatchMode=yes', '-o', 'LogLevel=ERROR'],
  ...['-o', 'StrictHostKeyChecking=no', '-o', `UserKnownHostsFile=${known}`],
]

/** Opens the doors of one box in a process of their own. */
export async function doorsSite(workshop: Workshop): Promise<Site & { readonly webdavPort: number }> {
  const { key, text } = await makeKey(workshop)
  const [directory, snapshots, keys] = ['box', 'snapshots', 'keys'].map((name) => workshop.file(name))
  for (const folder of [directory!, snapshots!]) mkdirSync(folder)
  chownSync(directory!, box.uid, box.gid)
  const doors = await openDoors({
    directory: keys!,
    ssh: { host: '127.0.0.1', port: 0 },
    webdav: { host: '127.0.0.1', port: 0 },
    charged: () => undefined,
    written: () => undefined,
    changed: () => undefined,
    begin: async () => undefined,
    installKey: async () => undefined,
    report: (message, fields) => console.error(message, fields),
  })
  workshop.keep(() => doors.close())
  const passwordHash = await hashPassword(password)
  const state = { home: '', passwordHash, keys: [text], isReachableExternally: false, seesSnapshots: false }
  const rights = { isReadonly: false, hasSsh: true, hasWebdav: true }
  await doors.setAccounts(
    { ...box, directory: directory!, snapshots: snapshots!, quota: null },
    1,
    accounts.map((username) => ({ ...state, ...rights, username })),
  )
  const site = { user: accounts[0]!, home: '/', port: doors.opened.ssh!, webdavPort: doors.opened.webdav! }
  const options = optionsFor(key, workshop.file('known'))
  return { ...site, pid: childWith('storage/doors'), directory: directory!, options, key }
}

/** Starts OpenSSH with a configuration of its own. */
export async function opensshSite(workshop: Workshop): Promise<Site> {
  const { key, text } = await makeKey(workshop)
  const [host, keys, config, directory] = ['host', 'authorized', 'config', 'files'].map((name) => workshop.file(name))
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', host!])
  writeFileSync(keys!, `${text}\n`)
  const port = await freePort()
  const settings = {
    Port: port,
    ListenAddress: '127.0.0.1',
    HostKey: host!,
    AuthorizedKeysFile: keys!,
    PidFile: 'none',
    StrictModes: 'no',
    UsePAM: 'no',
    PermitRootLogin: 'prohibit-password',
    MaxStartups: '100',
    Subsystem: 'sftp internal-sftp',
  }
  writeFileSync(
    config!,
    Object.entries(settings)
      .map(([name, value]) => `${name} ${value}\n`)
      .join(''),
  )
  mkdirSync(directory!)
  // Its program starts only where this is, which needs not be after a start of the machine.
  mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  chmodSync(workshop.directory, 0o755)
  const child = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', config!], {
    stdio: ['ignore', 'ignore', openSync(workshop.file('sshd.log'), 'w')],
  })
  workshop.keep(async () => void child.kill('SIGTERM'))
  await opened(port)
  const options = optionsFor(key, workshop.file('known'))
  return { user: 'root', home: `${directory!}/`, port, pid: child.pid!, directory: directory!, options, key }
}

async function opened(port: number): Promise<void> {
  for (const end = Date.now() + 10_000; Date.now() < end; await delay(20)) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await new Promise((resolve) =>
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false)),
    )
    socket.destroy()
    if (isOpen) return
  }
  throw new Error('sshd does not start')
}

/** The processes that one has started and that run. */
export function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return text === '' ? [] : text.split(' ').map(Number)
}

function childWith(words: string): number {
  const pid = childrenOf(process.pid).find((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes(words))
  if (pid === undefined) throw new Error(`no process has ${words} in its command`)
  return pid
}

/** Seconds of a processor that a server and those of its children that have ended took. */
export async function cpuOf({ pid }: Site): Promise<number> {
  // The time of a child is counted when it has ended.
  while (childrenOf(pid).length > 0) await delay(5)
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [user, system, ofChildren, systemOfChildren] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
  return (Number(user) + Number(system) + Number(ofChildren) + Number(systemOfChildren)) / 100
}

/** Returns what processes hold in MB, with their shares of what several have. */
export function heldMb(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) =>
    Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(join('/proc', `${pid}`, 'smaps_rollup'), 'utf8'))?.[1]),
  )
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024
}
