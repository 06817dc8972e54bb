/**
 * Which process holds the place where API servers look for one. The path that they know is a symbolic link to a socket
 * that is named by the id of its process. So whoever connects knows whom it has to do with, even when that one hangs and
 * says nothing, and never takes the process that came after it for that one.
 */
import { closeSync, openSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { lockFile } from '../../../../kernel/process/file-lock.ts'

export interface Holder {
  readonly pid: number
  readonly socket: string
}

/** The socket of a process that is about to hold the place. */
export const socketOf = (path: string, pid: number) => `${path}.${pid}`

/** Who holds the place, alive or dead; undefined when nobody does. */
export function holderOf(path: string): Holder | undefined {
  try {
    const name = readlinkSync(path)
    const pid = Number(name.slice(basename(path).length + 1))
    return pid > 0 ? { pid, socket: join(dirname(path), name) } : undefined
  } catch {
    // Nothing is there, or the socket itself, as earlier versions had it.
    return undefined
  }
}

/** A process waits so long for others that look whether the place is taken, in milliseconds. */
const patienceMs = 8_000

/**
 * Lets one process at a time look whether the place is taken, and take it: two that looked at the same moment would both
 * find it free. Errors: when others look for too long.
 */
export function alone(path: string): Disposable {
  const file = `${path}.lock`
  // Its folder is not made: where that was removed, nobody wants this process.
  closeSync(openSync(file, 'a', 0o600))
  const lock = lockFile(file, patienceMs)
  if (!lock) throw new Error(`another process has locked ${file} for too long`)
  return lock
}

/** Takes the place for a process that listens on its socket, and clears away that of whoever had it before. */
export function hold(path: string, pid: number): void {
  const former = holderOf(path)
  const socket = socketOf(path, pid)
  const draft = `${socket}.link`
  rmSync(draft, { force: true })
  symlinkSync(basename(socket), draft)
  renameSync(draft, path)
  if (former && former.pid !== pid) rmSync(former.socket, { force: true })
}
