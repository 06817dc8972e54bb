/** Rows of the images that Projects have of their own. */
import type { Locks } from '../../kernel/data/locks.ts'
import type { ProjectId } from '../../kernel/scope.ts'
import type { OwnImage } from './domain.ts'

export interface ImageRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly type: OwnImage['type']
  readonly status: OwnImage['status']
  readonly description: string
  readonly image_size_mb: number | null
  readonly disk_size: number
  readonly created: string
  readonly created_from_id: number
  readonly created_from_name: string
  readonly bound_to: number | null
  /** Of the server that it was made of; null for images from before locations had infrastructures of their own. */
  readonly location: number | null
  readonly os_flavor: OwnImage['osFlavor']
  readonly os_version: string | null
  readonly architecture: OwnImage['architecture']
  readonly protect_delete: 0 | 1
  readonly labels: string
  readonly version: number
}

/** A deleted image whose data is still to be removed. */
export interface ImageRemovalRow {
  readonly id: number
  readonly project_id: ProjectId
  /** The server that the image was made of. */
  readonly server_id: number
}

declare module '../../kernel/data/db.ts' {
  interface TenantTables {
    image: ImageRow
    image_removal: ImageRemovalRow
  }
}

export const imageLocks: Locks = {
  order: [['server', 'image']],
  belonging: { image_removal: 'the image, and then the action that removes its data' },
}
