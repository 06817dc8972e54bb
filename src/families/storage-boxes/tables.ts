/** Rows of Storage Boxes, their snapshots and their subaccounts. */
import type { Locks } from '../../kernel/data/locks.ts'
import type { DesiredRow } from '../../kernel/resource/desired.ts'
import type { ProjectId } from '../../kernel/scope.ts'
import type { AccessColumns, BoxAccess, StorageBox } from './domain.ts'
import type { SubaccountAccess } from './subaccounts/domain.ts'

export interface StorageBoxRow extends AccessColumns<keyof BoxAccess> {
  readonly id: number
  readonly project_id: ProjectId
  readonly name: string
  readonly status: StorageBox['status']
  readonly storage_box_type: number
  readonly location: number
  readonly password_hash: string
  readonly former_password_hash: string | null
  /** JSON list. */
  readonly ssh_keys: string
  /** JSON. */
  readonly plan: string | null
  /** A timestamp. */
  readonly plan_next: string | null
  readonly capacity: number
  /** All that it takes: the sum of the two after it. */
  readonly size: number
  readonly size_data: number
  readonly size_snapshots: number
  readonly subaccounts_made: number
  /** A timestamp, or nothing: names of snapshots are made of later ones. */
  readonly last_snapshot: string
  readonly is_leaving: 0 | 1
  readonly labels: string
  readonly protect_delete: 0 | 1
  readonly created: string
  readonly version: number
}

export interface SnapshotRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly storage_box_id: number
  readonly name: string
  readonly description: string
  readonly is_automatic: 0 | 1
  readonly size: number
  readonly size_filesystem: number
  readonly labels: string
  readonly created: string
  readonly version: number
}

export interface SubaccountRow extends AccessColumns<keyof SubaccountAccess> {
  readonly id: number
  readonly project_id: ProjectId
  readonly storage_box_id: number
  readonly number: number
  readonly name: string
  readonly description: string
  readonly home_directory: string
  readonly password_hash: string
  readonly former_password_hash: string | null
  /** JSON list. */
  readonly ssh_keys: string
  readonly is_leaving: 0 | 1
  readonly labels: string
  readonly created: string
  readonly version: number
}

/** What a box took from an hour on, as it was measured last in it. */
export interface UsageRow {
  readonly storage_box_id: number
  readonly project_id: ProjectId
  /** The beginning of the hour. */
  readonly measured: string
  readonly size_data: number
  readonly size_snapshots: number
}

declare module '../../kernel/data/db.ts' {
  interface TenantTables {
    storage_box: StorageBoxRow
    storage_box_snapshot: SnapshotRow
    storage_box_subaccount: SubaccountRow
    storage_box_usage: UsageRow
    /** Each box has its size and its accounts here. The row outlives the box until the infrastructure has removed it. */
    storage_box_state: DesiredRow
  }
}

export const storageBoxLocks: Locks = {
  order: [['storage_box', 'storage_box_state']],
  belonging: { storage_box_snapshot: 'its box', storage_box_subaccount: 'its box', storage_box_usage: 'its box' },
}
