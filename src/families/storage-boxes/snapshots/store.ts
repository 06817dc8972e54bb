/** Snapshots in the database, and what they and their boxes take. */
import type { Queries, Transaction } from '../../../kernel/data/db.ts'
import { preparedScoped } from '../../../kernel/data/scoped.ts'
import { notFound } from '../../../kernel/errors.ts'
import { type AtOnce, after } from '../../../kernel/process/at-once.ts'
import { readLabels } from '../../../kernel/resource/label-index.ts'
import { defineResource } from '../../../kernel/resource/resource.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { BoxUsage } from '../driver.ts'
import { boxes, holdBox } from '../store.ts'
import type { SnapshotRow } from '../tables.ts'
import { notePoint } from '../usage/store.ts'
import { snapshotSpelling } from './contract.ts'
import type { Snapshot, SnapshotPlan } from './domain.ts'

function fromRow(row: SnapshotRow): Snapshot {
  return {
    id: row.id,
    boxId: row.storage_box_id,
    name: row.name,
    description: row.description,
    isAutomatic: row.is_automatic === 1,
    size: row.size,
    sizeFilesystem: row.size_filesystem,
    labels: readLabels(row.labels),
    created: row.created,
    version: row.version,
  }
}

/** Names are unique in a box: they are given under its lock. */
export const snapshots = defineResource({ ...snapshotSpelling, fromRow })

const ofBox = preparedScoped((rows, box: number) =>
  rows.selectFrom('storage_box_snapshot').selectAll().where('storage_box_id', '=', box),
)

/** The snapshots of a box, by id. */
export function snapshotsOf(query: Queries, scope: ProjectScope, box: number): AtOnce<readonly Snapshot[]> {
  return after(ofBox(query, scope, box), (rows) => rows.map(snapshots.ofRow).toSorted((a, b) => a.id - b.id))
}

/** A snapshot of a box. Errors: `not_found`, also for one of another box. */
export function snapshotIn(query: Queries, scope: ProjectScope, box: number, id: number): AtOnce<Snapshot> {
  return after(snapshots.find(query, scope, id), (found) => {
    if (found?.boxId !== box) throw notFound(snapshotSpelling.title, id)
    return found
  })
}

export type NewSnapshot = Pick<Snapshot, 'id' | 'boxId' | 'name' | 'description' | 'isAutomatic' | 'labels'>

/** Adds a snapshot that is still to be made, under the lock of its box. */
export function insertSnapshot(tx: Transaction, scope: ProjectScope, given: NewSnapshot): Promise<Snapshot> {
  return snapshots.insert(tx, scope, {
    id: given.id,
    storage_box_id: given.boxId,
    name: given.name,
    description: given.description,
    is_automatic: given.isAutomatic ? 1 : 0,
    size: 0,
    size_filesystem: 0,
    labels: given.labels,
  })
}

/** Sets by which plan a box has snapshots, and when it has the next one; null for none. */
export function setPlan(
  tx: Transaction,
  scope: ProjectScope,
  box: number,
  plan: SnapshotPlan | null,
  next: string | null,
): Promise<void> {
  return boxes.set(tx, scope, box, { plan: plan && JSON.stringify(plan), plan_next: next })
}

/** Records what a box takes that the transaction has locked, where that is something new. */
export async function recordUsage(tx: Transaction, scope: ProjectScope, id: number, usage: BoxUsage): Promise<void> {
  const box = await boxes.find(tx.query, scope, id)
  if (!box) return
  if (box.usedByFiles !== usage.data || box.usedBySnapshots !== usage.snapshots) {
    const columns = { size_data: usage.data, size_snapshots: usage.snapshots, size: usage.data + usage.snapshots }
    await boxes.set(tx, scope, id, columns)
  }
  await notePoint(tx, scope, id, usage)
  for (const { id: snapshot, name, size, sizeFilesystem } of await snapshotsOf(tx.query, scope, id)) {
    const measured = usage.bySnapshot.get(name)
    if (!measured || (measured.size === size && measured.filesystem === sizeFilesystem)) continue
    await snapshots.set(tx, scope, snapshot, { size: measured.size, size_filesystem: measured.filesystem })
  }
}

/** Removes the snapshots of a box of which nothing is left; nothing else happens to the box meanwhile. */
export async function dropLost(
  tx: Transaction,
  scope: ProjectScope,
  box: number,
  left: readonly string[],
): Promise<void> {
  await holdBox(tx, scope, box)
  for (const one of await snapshotsOf(tx.query, scope, box)) {
    if (!left.includes(one.name)) await snapshots.remove(tx, scope, one)
  }
}
