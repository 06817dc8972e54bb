/** Statements about what is on a server's disk: which image was wanted, and what a failed rebuild goes back to. */
import type { Queries, Transaction } from '../../kernel/data/db.ts'
import { scoped } from '../../kernel/data/scoped.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Server } from './domain.ts'
import { dropFormer, servers } from './store.ts'

/** What is wanted of a server's disk from now on. */
export interface DiskChange {
  readonly image: number
  readonly userData: string | null
  readonly rootPasswordHash: string | null
  /** The action on whose behalf the disk is written anew. */
  readonly installation: number
}

/** Sets the desired disk of a server, switched on, and remembers the one before. The caller renews the desired state. */
export async function setDisk(tx: Transaction, scope: ProjectScope, server: Server, disk: DiskChange): Promise<void> {
  await dropFormer(tx, scope, server.id)
  const former = {
    server_id: server.id,
    image: server.imageId,
    installation: server.installation,
    user_data: server.userData,
    root_password_hash: server.rootPasswordHash,
  }
  await scoped(tx.query, scope).insertInto('server_former', [former]).execute()
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

/** Gives up a new disk: what is desired is what was before. The caller renews the desired state. */
export async function revertDisk(tx: Transaction, scope: ProjectScope, id: number): Promise<void> {
  const former = await scoped(tx.query, scope)
    .selectFrom('server_former')
    .select(['image', 'installation', 'user_data', 'root_password_hash'])
    .where('server_id', '=', id)
    .executeTakeFirst()
  if (former) await servers.set(tx, scope, id, former)
  await dropFormer(tx, scope, id)
}

/** Whether an image is being written to the disk of a server right now, or would be again when a rebuild fails. */
export async function isBeingInstalled(query: Queries, scope: ProjectScope, imageId: number): Promise<boolean> {
  const row = await scoped(query, scope)
    .selectFrom('server')
    .select('id')
    .where('image', '=', imageId)
    .where('status', 'in', ['initializing', 'rebuilding'])
    .limit(1)
    .executeTakeFirst()
  if (row) return true
  const former = await scoped(query, scope)
    .selectFrom('server_former')
    .select('server_id')
    .where('image', '=', imageId)
    .limit(1)
    .executeTakeFirst()
  return former !== undefined
}
