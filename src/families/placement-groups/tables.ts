/** Rows of placement groups and of their members. */
import type { Locks } from '../../kernel/data/locks.ts'
import type { ProjectId } from '../../kernel/scope.ts'
import type { PlacementGroupType } from './domain.ts'

export interface PlacementGroupRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly name: string
  readonly type: PlacementGroupType
  readonly labels: string
  readonly created: string
  readonly version: number
}

/** A server is in one group at most. */
export interface PlacementGroupMemberRow {
  readonly server_id: number
  readonly project_id: ProjectId
  readonly placement_group_id: number
}

declare module '../../kernel/data/db.ts' {
  interface TenantTables {
    placement_group: PlacementGroupRow
    placement_group_member: PlacementGroupMemberRow
  }
}

export const placementGroupLocks: Locks = {
  order: [['server', 'placement_group', 'placement_group_member']],
}
