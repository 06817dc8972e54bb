/** The disks of servers in the database: the desired image, and which images are in use. */
import type { Queries, Transaction } from '../../../kernel/data/db.ts'
import { scoped } from '../../../kernel/data/scoped.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import { servers } from '../store.ts'

/** The desired disk of a server. */
export interface DiskChange {
  readonly image: number
  readonly userData: string | null
  readonly rootPasswordHash: string | null
  /** The action on whose behalf the disk is written anew. */
  readonly installation: number
  /** Whether the server runs with it. */
  readonly starts: boolean
}

/** Sets the desired disk of a server; the caller renews the desired state. */
export async function setDisk(tx: Transaction, scope: ProjectScope, id: number, disk: DiskChange): Promise<void> {
  await servers.set(tx, scope, id, {
    image: disk.image,
    user_data: disk.userData,
    root_password_hash: disk.rootPasswordHash,
    installation: disk.installation,
    power: disk.starts ? 'on' : 'off',
    manner: 'hard',
    cycle: disk.starts ? disk.installation : null,
    status: 'rebuilding',
  })
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
  // Only servers that are being changed have a former state: these are few.
  const former = scoped(query, scope).selectFrom('server_former').select('server_id').where('image', '=', imageId)
  const previous = await scoped(query, scope)
    .selectFrom('server')
    .select('id')
    .where('id', 'in', former)
    .where('status', '=', 'rebuilding')
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
