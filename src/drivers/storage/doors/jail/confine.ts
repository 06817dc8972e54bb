/**
 * Programs that have a directory as their root and nothing else of the machine. The program is started in namespaces of its
 * own; once it has loaded all that it needs, the root is pivoted under it: pivot_root(2) changes the root of every process in
 * the mount namespace. The kernel then resolves every path, link and race within the directory, without any program in it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstat, readFile, stat } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { systemPath } from './possible.ts'
import { launching, leaving, pivoting } from './scripts.ts'
import { endingOf, started, startedFor } from './starting.ts'

/** The directory that becomes the root. */
export interface Jail {
  /** Its real path. Nobody but root may change what is above it. */
  readonly directory: string
  /** Below it, with neither `.` nor `..`; empty for the directory itself. Its owner may change it meanwhile. */
  readonly home: string
  readonly uid: number
  readonly gid: number
  /** Nothing in it can be changed, which the kernel sees to. */
  readonly isReadonly: boolean
  /** This directory is seen below `.zfs/snapshot`, which has to be a directory by then; nothing is when it is undefined. */
  readonly snapshots: string | undefined
  /** True where nothing but checks of paths keeps programs in it, as the operator has said. */
  readonly isUnconfined?: boolean | undefined
}

export interface Prisoner {
  readonly child: Pick<ChildProcess, 'pid' | 'kill' | 'once'>
  readonly stdin: Writable
  readonly stdout: Readable
  /** Missing where nobody may read it. */
  readonly stderr?: Readable
  /** Resolves when the program has ended. */
  readonly ended: Promise<unknown>
  /** The last of what it said on its standard error. */
  lastWords(): string
}

/** The jail could not be made; nothing runs. */
export class JailError extends Error {}

const wordsLength = 2_000
const scriptMs = 20_000

/** The largest file that a program may write where no limit is asked for. */
const noLimit = 'unlimited'

/**
 * Starts a program that is not confined to its directory yet: it must not be given anything of the customer's. Errors: those of
 * `startedFor`.
 */
export async function startProgram(
  command: readonly string[],
  { directory, uid, gid }: Jail,
  mostBytes?: number,
): Promise<Prisoner> {
  const namespaces = ['--mount', '--net', '--ipc', '--uts', '--propagation', 'private']
  const most = mostBytes === undefined ? noLimit : `${Math.max(0, Math.floor(mostBytes))}`
  const args = [...namespaces, '--', 'sh', '-c', launching, 'sh', `${uid}`, `${gid}`, most, ...command]
  const child = await startedFor(directory, () =>
    spawn('unshare', args, {
      cwd: '/',
      env: { PATH: systemPath, LC_ALL: 'C.UTF-8', HOME: '/' },
      stdio: ['pipe', 'pipe', 'pipe'],
    }),
  )
  const ended = endingOf(child)
  let words = ''
  child.stderr.on('data', (data: Buffer) => {
    words = (words + data.toString('latin1')).slice(-wordsLength)
  })
  // Whoever reads its output learns of its end; what was written to it after that is lost with it.
  child.stdin.on('error', () => undefined)
  const { stdin, stdout, stderr } = child
  return { child, stdin, stdout, stderr, ended, lastWords: () => words }
}

/**
 * Makes the home the root of a program that runs, which has done nothing with files yet. Errors: `JailError`, after which the
 * program is dead.
 */
export async function confine(prisoner: Prisoner, jail: Jail): Promise<void> {
  const pid = prisoner.child.pid
  try {
    if (pid === undefined) throw new JailError('it does not start')
    const home = jail.home === '' ? jail.directory : `${jail.directory}/${jail.home}`
    await within(pid, pivoting, [home])
    await within(pid, leaving, [`${pid}`, jail.snapshots ?? '', jail.isReadonly ? 'readonly' : ''])
    await check(pid, home, jail)
  } catch (error) {
    prisoner.child.kill('SIGKILL')
    throw error
  }
}

/** Has root do something in the mount namespace of a program. Errors: `JailError`, those of `started`. */
async function within(pid: number, script: string, args: readonly string[]): Promise<void> {
  const child = await started(
    spawn('nsenter', ['--target', `${pid}`, '--mount', '--', 'sh', '-c', script, 'sh', ...args], {
      cwd: '/',
      env: { PATH: systemPath, LC_ALL: 'C' },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: scriptMs,
      killSignal: 'SIGKILL',
    }),
  )
  let words = ''
  child.stderr.on('data', (data: Buffer) => {
    words = (words + data.toString('latin1')).slice(-wordsLength)
  })
  const [code] = await once(child, 'close')
  if (code === 0) return
  throw new JailError(`a home cannot become the root of its programs: ${words.trim() || `code ${code}`}`)
}

/** Reads lines of /proc/PID/mountinfo: where something is mounted, with which options. */
function mountsOf(text: string): { at: string; options: string[] }[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' '))
    .map(([, , , , at = '', options = '']) => ({ at, options: options.split(',') }))
}

/** Believes nothing of what was just done: the program sees its home and its snapshots, and no other mount. */
async function check(pid: number, home: string, jail: Jail): Promise<void> {
  const mounts = mountsOf(await readFile(`/proc/${pid}/mountinfo`, 'utf8'))
  const expected = jail.snapshots === undefined ? ['/'] : ['/', '/.zfs/snapshot']
  const harmless = ['nosuid', 'nodev', 'noexec']
  const isAsExpected =
    mounts.length === expected.length &&
    mounts.every(({ at, options }, index) => {
      const needed = index > 0 || jail.isReadonly ? [...harmless, 'ro'] : harmless
      return at === expected[index] && needed.every((option) => options.includes(option))
    })
  if (!isAsExpected) throw new JailError(`the program sees ${mounts.map(({ at }) => at).join(', ')}`)
  await checkRoot(pid, home, jail)
}

async function checkRoot(pid: number, home: string, { directory, home: below }: Jail): Promise<void> {
  const [root, outside] = await Promise.all([stat(`/proc/${pid}/root/`), lstat(directory)])
  // Nobody can replace the directories above that of the box; those below it were checked on the way.
  if (below === '' && (root.ino !== outside.ino || root.dev !== outside.dev)) {
    throw new JailError(`the root of the program is not ${home}`)
  }
}
