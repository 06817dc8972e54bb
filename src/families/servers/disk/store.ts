/** The disks of servers in the database: the desired image, and what a failed rebuild goes back to. */
import type { Queries, Transaction } from '../../../kernel/data/db.ts'
import { scoped } from '../../../kernel/data/scoped.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Server } from '../domain.ts'
import { forgetPreviousDisk, servers } from '../store.ts'

/** The desired disk of a server. */
export interface DiskChange {
  readonly image: number
  readonly userData: string | null
  readonly rootPasswordHash: string | null
  /** The action on whose behalf the disk is written anew. */
  readonly installation: number
}

/** Sets the desired disk of a server, switched on, and remembers the previous one. The caller renews the desired state. */
export async function setDisk(tx: Transaction, scope: ProjectScope, server: Server, disk: DiskChange): Promise<void> {
  await forgetPreviousDisk(tx, scope, server.id)
  const previous = {
    server_id: server.id,
    image: server.imageId,
    installation: server.installation,
    user_data: server.userData,
    root_password_hash: server.rootPasswordHash,
  }
  await scoped(tx.query, scope).insertInto('server_former', [previous]).execute()
  await servers.set(tx, scope, server.id, {
    image: disk.image,
    user_data: disk.userData,
    root_password_hash: disk.rootPasswordHash,
    installation: disk.installation,
    power: 'on',
    manner: 'hard',
    cycle: disk.installation,
    status: 'rebuilding',
  })
}

/** Gives up a new disk: the previous one is desired again. The caller renews the desired state. */
export async function revertDisk(tx: Transaction, scope: ProjectScope, id: number): Promise<void> {
  const previous = await scoped(tx.query, scope)
    .selectFrom('server_former')
    .select(['image', 'installation', 'user_data', 'root_password_hash'])
    .where('server_id', '=', id)
    .executeTakeFirst()
  if (previous) await servers.set(tx, scope, id, previous)
  await forgetPreviousDisk(tx, scope, id)
}

/** Whether an image is being written to the disk of a server, or would be again after a failed rebuild. */
export async function isBeingInstalled(query: Queries, scope: ProjectScope, imageId: number): Promise<boolean> {
  const row = await scoped(query, scope)
    .selectFrom('server')
    .select('id')
    .where('image', '=', imageId)
    .where('status', 'in', ['initializing', 'rebuilding'])
    .limit(1)
    .executeTakeFirst()
  if (row) return true
  const previous = await scoped(query, scope)
    .selectFrom('server_former')
    .select('server_id')
    .where('image', '=', imageId)
    .limit(1)
    .executeTakeFirst()
  return previous !== undefined
}

/** Whether the backup of a day is still to be started; only the first caller hears that it is. */
export async function claimBackupDay(tx: Transaction, scope: ProjectScope, id: number, day: string): Promise<boolean> {
  const { numUpdatedRows } = await scoped(tx.query, scope)
    .updateTable('server')
    .set({ last_backup_day: day })
    .where('id', '=', id)
    .where('last_backup_day', '<', day)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
