/** Doors in a process of their own, as an API server has them. */
import assert from 'node:assert/strict'
import { readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { openDoors } from '../../../src/drivers/storage/doors/process/doors.ts'
import type { AccountState } from '../../../src/families/storage-boxes/driver.ts'
import { DoorsFixture } from './doors.ts'

/** Opens doors for a test, with one box. */
export async function processOf(t: TestContext, quota: { limit: number; used: number } | null = null) {
  const fixture = new DoorsFixture()
  await fixture.makeKey()
  const charged: number[] = []
  const written: number[] = []
  const installed: string[] = []
  const doors = await openDoors({
    directory: join(fixture.folder, 'keys'),
    ssh: { host: '127.0.0.1', port: 0 },
    webdav: { host: '127.0.0.1', port: 0 },
    charged: (_, bytes) => void charged.push(bytes),
    written: (_, bytes) => void written.push(bytes),
    changed: () => undefined,
    begin: async () => undefined,
    installKey: async (_, __, key) => (installed.push(key) > 1 ? 'there are too many' : undefined),
    report: () => undefined,
  })
  t.after(async () => {
    await doors.close()
    fixture.close()
  })
  fixture.sshPort = doors.opened.ssh!
  const box = fixture.addBox()
  const { ledger: _, ...place } = box.place
  let generation = 0
  const set = (...accounts: AccountState[]) => doors.setAccounts({ ...place, quota }, ++generation, accounts)
  return { fixture, doors, box, set, charged, written, installed }
}

/** Resolves when something has come about. */
export const arrived = async (is: () => boolean) => {
  for (const end = Date.now() + 20_000; !is(); await new Promise((resolve) => setTimeout(resolve, 20))) {
    assert.ok(Date.now() < end, 'it does not come about')
  }
}

export const childrenOf = (pid: number) => {
  const found = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return found === '' ? [] : found.split(' ').map(Number)
}

/** The words that a process was started with; '' for one that has ended. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** A process that has ended has no command, whether anybody has asked for its end or not. */
export const isRunning = (pid: number) => commandOf(pid) !== ''

/** The process of the doors that this one has started. */
export function programPid(): number {
  const pid = childrenOf(process.pid).find((child) => commandOf(child).includes('doors'))
  assert.ok(pid)
  return pid
}

/** What processes hold in MB, with their shares of what several have. */
export function heldMb(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) =>
    Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]),
  )
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024
}

/** Where a link leads; '' for one that is gone. */
export function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
