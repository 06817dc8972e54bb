/** Rows of volumes. */
import type { Locks } from '../../kernel/data/locks.ts'
import type { DesiredRow } from '../../kernel/resource/desired.ts'
import type { ProjectId } from '../../kernel/scope.ts'
import type { Volume } from './domain.ts'

export interface VolumeRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly name: string
  readonly status: Volume['status']
  readonly size: number
  readonly location: number
  readonly server_id: number | null
  readonly automount: 0 | 1
  readonly format: Volume['format']
  readonly labels: string
  readonly protect_delete: 0 | 1
  readonly created: string
  readonly version: number
}

declare module '../../kernel/data/db.ts' {
  interface TenantTables {
    volume: VolumeRow
    /** By volume: its size. The row outlives the volume until the infrastructure has removed it. */
    volume_state: DesiredRow
    /** By server: which volumes are attached to it. */
    volume_attachment: DesiredRow
  }
}

export const volumeLocks: Locks = {
  order: [['server', 'volume', 'volume_attachment', 'volume_state']],
}
