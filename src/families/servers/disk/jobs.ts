/** The background job that starts daily backups. */
import type { Catalogue } from '../../../catalogue/catalogue.ts'
import type { Transaction } from '../../../kernel/data/db.ts'
import type { ClockEvent } from '../../../kernel/process/clock.ts'
import type { Again } from '../../../kernel/process/jobs.ts'
import { forEachDue } from '../../../kernel/resource/due.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Platform } from '../../../platform.ts'
import { nextWindowMs, openWindow, windowsOfDay } from '../domain.ts'
import { type DueServer, dueServers, serversWithBackups } from '../host.ts'
import { servers } from '../store.ts'
import { claimBackupDay } from './store.ts'
import { startImage } from './work.ts'

/** Starts the backup of each server whose window is open and that had none in it yet; several processes may do so at once. */
export async function startBackups({ db, clock, catalogue }: Platform): Promise<Again> {
  const { window, day } = openWindow(clock.now())
  return forEachDue<DueServer>({
    failed: 'backups could not be started',
    find: (after, limit) => dueServers(db.query, window, day, after, limit),
    work: ({ id, scope }) => db.transact((tx) => backUp(tx, scope, catalogue, id, day)),
  })
}

async function backUp(tx: Transaction, scope: ProjectScope, catalogue: Catalogue, id: number, day: string) {
  const server = await servers.lock(tx, scope, id)
  if (server.backupWindow === null || !(await claimBackupDay(tx, scope, id, day))) return
  await startImage(tx, scope, catalogue, server, { type: 'backup', description: undefined, labels: {} })
}

/** The next openings of windows in which servers have backups, for as long as there are any within a day. */
export async function nextBackups({ db }: Platform, afterMs: number, limit: number): Promise<ClockEvent[]> {
  const found: ClockEvent[] = []
  // Windows are the same each day.
  const known = new Map<string, readonly DueServer[]>()
  let opens = nextWindowMs(afterMs)
  for (let empty = 0; empty < windowsOfDay && found.length < limit; opens = nextWindowMs(opens)) {
    const { window } = openWindow(opens)
    const servers = known.get(window) ?? (await serversWithBackups(db.query, window, limit))
    known.set(window, servers)
    empty = servers.length === 0 ? empty + 1 : 0
    for (const { id, scope } of servers.slice(0, limit - found.length))
      found.push({ atMs: opens, event: 'backup', subject: { ...scope, type: 'server', id } })
  }
  return found
}
