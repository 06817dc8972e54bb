/**
 * Keeps HAProxy running, also while no API server does: one shell for each balancer starts it again whenever it ends. The
 * shell and HAProxy are a session of their own; systemd leaves them alone with `KillMode=process`.
 */
import { spawn } from 'node:child_process'
import { closeSync, openSync, readlinkSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { environment, signal } from '../../commands.ts'
import { readIfThere } from './configuration/files.ts'

/**
 * The state of targets is used again until the time of its file; an older one would bring back what is no longer true.
 * HAProxy that ends at once is not started all the time.
 */
const script = `
echo $$ > supervisor.pid
while [ -e haproxy.cfg ]; do
  began=$(date +%s)
  touch now
  [ state -nt now ] || rm -f state
  "$1" -W -S unix@master.sock,mode,600 -f haproxy.cfg
  echo ended >&2
  [ $(($(date +%s) - began)) -ge 2 ] || sleep 0.5
done
`

const logPath = (folder: string) => join(folder, 'log')

/** A log is cut to nothing when it is longer, in bytes. */
const longestLog = 1_000_000

/** Starts the supervisor of a balancer, which starts HAProxy. It does not end with this process. */
export async function startSupervisor(folder: string, namespace: string, binary: string): Promise<void> {
  const log = openSync(logPath(folder), 'a', 0o600)
  try {
    const child = spawn('ip', ['netns', 'exec', namespace, 'sh', '-c', script, 'wolke-load-balancer', binary], {
      cwd: folder,
      detached: true,
      env: environment,
      stdio: ['ignore', log, log],
    })
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject))
    child.unref()
  } finally {
    closeSync(log)
  }
}

/** Whether a balancer is supervised, and in its namespace as it is now. */
export function isSupervised(folder: string, namespace: string): boolean {
  const pid = supervisorOf(folder)
  const inode = statSync(`/run/netns/${namespace}`, { throwIfNoEntry: false })?.ino
  return pid !== undefined && linkOf(`/proc/${pid}/ns/net`) === `net:[${inode}]`
}

/** Ends the supervisor of a balancer and its HAProxy, if there are any, wherever they run. */
export function endSupervisor(folder: string): void {
  const pid = supervisorOf(folder)
  if (pid !== undefined) signal(-pid, 'SIGKILL')
}

/** The process that supervises a balancer. Its folder tells it from one that got the same id later. */
function supervisorOf(folder: string): number | undefined {
  const pid = Number(readIfThere(join(folder, 'supervisor.pid')))
  return pid > 0 && linkOf(`/proc/${pid}/cwd`) === folder ? pid : undefined
}

/** What a link of a process leads to; undefined when the process has ended. */
function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

/** How long the log is, in bytes: what HAProxy says next comes after that. */
export function logLength(folder: string): number {
  return readIfThere(logPath(folder))?.length ?? 0
}

/** Whether HAProxy ended since the log had a length. */
export function hasEndedSince(folder: string, length: number): boolean {
  return /^ended$/m.test(logSince(folder, length))
}

/** The faults that HAProxy found since the log had a length; empty when it found none. */
export function faultsSince(folder: string, length: number): string {
  const lines = logSince(folder, length).split('\n')
  const faults = lines.flatMap((line) => /^\[ALERT\]\s+\(\d+\) : (.*)$/.exec(line)?.[1] ?? [])
  return faults.join('; ')
}

const logSince = (folder: string, length: number) => (readIfThere(logPath(folder)) ?? '').slice(length)

/** Keeps the log of a balancer that has much to say from filling the disk. */
export function boundLog(folder: string): void {
  if (logLength(folder) > longestLog) truncateSync(logPath(folder))
}
