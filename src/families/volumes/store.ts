/** Volumes in the database. */

import type { Queries, Transaction } from '../../kernel/data/db.ts'
import { preparedScopedMany, scoped } from '../../kernel/data/scoped.ts'
import { type AtOnce, after } from '../../kernel/process/at-once.ts'
import { readLabels } from '../../kernel/resource/label-index.ts'
import { defineResource, nameTaken } from '../../kernel/resource/resource.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { spelling } from './contract.ts'
import type { Volume } from './domain.ts'
import type { VolumeRow } from './tables.ts'

function fromRow(row: VolumeRow): Volume {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    size: row.size,
    locationId: row.location,
    serverId: row.server_id,
    automount: row.automount === 1,
    format: row.format,
    labels: readLabels(row.labels),
    isProtected: row.protect_delete === 1,
    created: row.created,
    version: row.version,
  }
}

export const volumes = defineResource({
  ...spelling,
  fromRow,
  unique: { name: nameTaken('volume name is already used') },
})

export type NewVolume = Pick<Volume, 'name' | 'size' | 'locationId' | 'serverId' | 'automount' | 'format' | 'labels'>

/** Adds a volume that is still to be made. Errors: `uniqueness_error`. */
export function insertVolume(tx: Transaction, scope: ProjectScope, given: NewVolume): Promise<Volume> {
  return volumes.insert(tx, scope, {
    name: given.name,
    status: 'creating',
    size: given.size,
    location: given.locationId,
    server_id: given.serverId,
    automount: given.automount ? 1 : 0,
    format: given.format,
    labels: given.labels,
    protect_delete: 0,
  })
}

// ---- Which server has which ----------------------------------------------------------------------------------------

/** Sets the server of a volume that the transaction has locked. The caller renews the desired states of the servers. */
export async function setServer(
  tx: Transaction,
  scope: ProjectScope,
  id: number,
  { server, automount }: { readonly server: number | null; readonly automount: boolean },
): Promise<void> {
  await volumes.set(tx, scope, id, { server_id: server, automount: server !== null && automount ? 1 : 0 })
}

/** The volumes of some servers, by id; those among them that are still to be made have no part in any server yet. */
export function volumesOfServers(
  query: Queries,
  scope: ProjectScope,
  serverIds: readonly number[],
): AtOnce<readonly (Pick<Volume, 'id' | 'status' | 'automount'> & { readonly serverId: number })[]> {
  return after(ofServers(query, scope, serverIds), (rows) =>
    // Asked for an order, SQLite would go through all that the Project has.
    rows
      .toSorted((a, b) => a.id - b.id)
      .map((row) => ({
        id: row.id,
        status: row.status,
        automount: row.automount === 1,
        serverId: row.server_id as number,
      })),
  )
}

const ofServers = preparedScopedMany((rows, ids: readonly number[]) =>
  rows.selectFrom('volume').select(['id', 'status', 'automount', 'server_id']).where('server_id', 'in', ids),
)

/** Parts a server that goes away from its volumes; they stay, detached. */
export async function detachAll(tx: Transaction, scope: ProjectScope, serverId: number): Promise<void> {
  await scoped(tx.query, scope)
    .updateTable('volume')
    .set({ server_id: null, automount: 0 })
    .where('server_id', '=', serverId)
    .execute()
}
