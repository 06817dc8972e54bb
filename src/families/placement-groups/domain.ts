/** Placement groups: sets of servers that are to run on different hosts. Pure. */
import type { Labels } from '../../kernel/contract/labels.ts'

export const placementGroupTypes = ['spread'] as const
export type PlacementGroupType = (typeof placementGroupTypes)[number]

export interface PlacementGroup {
  readonly id: number
  readonly name: string
  readonly type: PlacementGroupType
  readonly labels: Labels
  readonly created: string
  readonly version: number
}

/** How many servers a group can have. */
export const maxMembers = 10

/** How many groups a Project can have, unless the operator says otherwise. */
export const maxGroups = 50
