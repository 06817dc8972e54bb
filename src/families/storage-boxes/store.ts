/** Storage Boxes in the database. */
import type { Transaction } from '../../kernel/data/db.ts'
import { readLabels } from '../../kernel/resource/label-index.ts'
import { defineResource, nameTaken } from '../../kernel/resource/resource.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { spelling } from './contract.ts'
import { accessColumns, accessOf, boxFlags, type StorageBox } from './domain.ts'
import type { StorageBoxRow } from './tables.ts'

function fromRow(row: StorageBoxRow): StorageBox {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    typeId: row.storage_box_type,
    locationId: row.location,
    access: accessOf(boxFlags, row),
    passwordHash: row.password_hash,
    formerPasswordHash: row.former_password_hash,
    sshKeys: JSON.parse(row.ssh_keys),
    plan: row.plan === null ? null : JSON.parse(row.plan),
    planNext: row.plan_next,
    capacity: row.capacity,
    usedByFiles: row.size_data,
    usedBySnapshots: row.size_snapshots,
    subaccountsMade: row.subaccounts_made,
    lastSnapshot: row.last_snapshot,
    isLeaving: row.is_leaving === 1,
    labels: readLabels(row.labels),
    isProtected: row.protect_delete === 1,
    created: row.created,
    version: row.version,
  }
}

export const boxes = defineResource({
  ...spelling,
  fromRow,
  columns: { 'stats.size': 'size', 'stats.size_filesystem': 'size_data' },
  unique: { name: nameTaken('Storage Box name is already used') },
})

export type NewBox = Pick<
  StorageBox,
  'name' | 'typeId' | 'locationId' | 'access' | 'passwordHash' | 'sshKeys' | 'capacity' | 'labels'
>

/** Adds a box that is still to be made. Errors: `uniqueness_error`. */
export function insertBox(tx: Transaction, scope: ProjectScope, given: NewBox): Promise<StorageBox> {
  return boxes.insert(tx, scope, {
    name: given.name,
    status: 'initializing',
    storage_box_type: given.typeId,
    location: given.locationId,
    ...accessColumns(given.access),
    password_hash: given.passwordHash,
    former_password_hash: null,
    ssh_keys: JSON.stringify(given.sshKeys),
    plan: null,
    plan_next: null,
    capacity: given.capacity,
    size: 0,
    size_data: 0,
    size_snapshots: 0,
    subaccounts_made: 0,
    last_snapshot: '',
    is_leaving: 0,
    labels: given.labels,
    protect_delete: 0,
  })
}

/** Keeps others from writing a box and its parts until the transaction ends, if it is still there. */
export async function holdBox(tx: Transaction, scope: ProjectScope, id: number): Promise<void> {
  await boxes.hold(tx, scope, [id], 'update')
}

/** Sets the password that a box is to have; the former one is kept until the change has ended. */
export function setPassword(tx: Transaction, scope: ProjectScope, box: StorageBox, hash: string): Promise<void> {
  return boxes.set(tx, scope, box.id, { password_hash: hash, former_password_hash: box.passwordHash })
}
