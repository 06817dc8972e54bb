/** The background job that starts daily backups. */
import type { Catalogue } from '../../../catalogue/catalogue.ts'
import type { Transaction } from '../../../kernel/data/db.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Platform } from '../../../platform.ts'
import { openWindow } from '../domain.ts'
import { dueServers } from '../host.ts'
import { forEachDue } from '../jobs.ts'
import { servers } from '../store.ts'
import { claimBackupDay } from './store.ts'
import { startImage } from './work.ts'

/** Starts the backup of each server whose window is open and that had none in it yet; several processes may do so at once. */
export async function startBackups({ db, clock, catalogue }: Platform): Promise<void> {
  const { window, day } = openWindow(clock.now())
  await forEachDue(
    'backups could not be started',
    (after, limit) => dueServers(db.query, window, day, after, limit),
    ({ id, scope }) => db.transact((tx) => backUp(tx, scope, catalogue, id, day)),
  )
}

async function backUp(tx: Transaction, scope: ProjectScope, catalogue: Catalogue, id: number, day: string) {
  const server = await servers.lock(tx, scope, id)
  if (server.backupWindow === null || !(await claimBackupDay(tx, scope, id, day))) return
  await startImage(tx, scope, catalogue, server, { type: 'backup', description: undefined, labels: {} })
}
