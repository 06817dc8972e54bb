/** The background job that starts daily backups. */
import type { Catalogue } from '../../../catalogue/catalogue.ts'
import type { Transaction } from '../../../kernel/data/db.ts'
import { ApiError } from '../../../kernel/errors.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Platform } from '../../../platform.ts'
import { openWindow } from '../domain.ts'
import { dueServers } from '../host.ts'
import { servers } from '../store.ts'
import { startImage } from './actions.ts'
import { claimBackupDay } from './store.ts'

const atOnce = 200

/** Starts the backup of each server whose window is open and that had none in it yet; several processes may do so at once. */
export async function startBackups({ db, clock, catalogue }: Platform): Promise<void> {
  const { window, day } = openWindow(clock.now())
  const failures: unknown[] = []
  // A locked server is tried again later in its window, and a deleted one needs no backup; the others go on meanwhile.
  const note = (error: unknown) => {
    if (!(error instanceof ApiError && (error.code === 'locked' || error.code === 'not_found'))) failures.push(error)
  }
  for (let after = 0; ; ) {
    const due = await dueServers(db.query, window, day, after, atOnce)
    for (const { id, scope } of due) {
      await db.transact((tx) => backUp(tx, scope, catalogue, id, day)).catch(note)
    }
    if (due.length < atOnce) break
    after = due.at(-1)!.id
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} backups could not be started`)
}

async function backUp(tx: Transaction, scope: ProjectScope, catalogue: Catalogue, id: number, day: string) {
  const server = await servers.lock(tx, scope, id)
  if (server.backupWindow === null || !(await claimBackupDay(tx, scope, id, day))) return
  await startImage(tx, scope, catalogue, server, { type: 'backup', description: undefined, labels: {} })
}
