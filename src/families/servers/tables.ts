/** Rows of servers. */
import type { ProjectId } from '../../kernel/scope.ts'
import type { Manner, Power, ServerStatus } from './domain.ts'

export interface ServerRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly name: string
  readonly status: ServerStatus
  readonly created: string
  readonly server_type: number
  readonly location: number
  readonly image: number | null
  readonly cores: number
  readonly memory_mb: number
  readonly primary_disk_size: number
  readonly power: Power
  readonly power_in_force: Power
  readonly manner: Manner
  readonly cycle: number | null
  readonly generation: number
  readonly user_data: string | null
  readonly ssh_keys: string
  readonly root_password_hash: string | null
  readonly labels: string
  readonly protect_delete: 0 | 1
  readonly protect_rebuild: 0 | 1
  readonly version: number
}

declare module '../../kernel/db.ts' {
  interface Tables {
    server: ServerRow
  }
}
