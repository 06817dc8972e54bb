/** Snapshots and their plans as the API shows them. */
import type { Static } from 'typebox'
import type { Plan, Snapshot as Wire } from './contract.ts'
import type { Snapshot, SnapshotPlan } from './domain.ts'

export function planToWire(plan: SnapshotPlan): Static<typeof Plan> {
  return {
    max_snapshots: plan.maxSnapshots,
    minute: plan.minute,
    hour: plan.hour,
    day_of_week: plan.dayOfWeek,
    day_of_month: plan.dayOfMonth,
  }
}

export function snapshotToWire(snapshot: Snapshot): Static<typeof Wire> {
  return {
    id: snapshot.id,
    storage_box: snapshot.boxId,
    name: snapshot.name,
    description: snapshot.description,
    stats: { size: snapshot.size, size_filesystem: snapshot.sizeFilesystem },
    is_automatic: snapshot.isAutomatic,
    labels: snapshot.labels,
    created: snapshot.created,
  }
}
