/** Rows of the images that Projects have of their own. */
import type { Locks } from '../../kernel/data/locks.ts'
import type { ProjectId } from '../../kernel/scope.ts'
import type { OwnImage } from './domain.ts'

export interface ImageRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly type: OwnImage['type']
  /** `deleted` is one whose data is still to be removed: no request sees it. */
  readonly status: OwnImage['status'] | 'deleted'
  readonly description: string
  readonly image_size_mb: number | null
  readonly disk_size: number
  readonly created: string
  readonly created_from_id: number
  readonly created_from_name: string
  readonly bound_to: number | null
  readonly os_flavor: OwnImage['osFlavor']
  readonly os_version: string | null
  readonly architecture: OwnImage['architecture']
  readonly protect_delete: 0 | 1
  readonly labels: string
  readonly version: number
}

declare module '../../kernel/data/db.ts' {
  interface Tables {
    image: ImageRow
  }
}

export const imageLocks: Locks = {
  order: [['server', 'image']],
}
