import type { Retries } from '../../api/operations.ts'

export const retries: Retries<'storage_boxes'> = { disable_snapshot_plan: 'disableSnapshotPlan' }
