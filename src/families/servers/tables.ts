/** Rows of servers. */
import type { Locks } from '../../kernel/data/locks.ts'
import type { DesiredRow } from '../../kernel/resource/desired.ts'
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
  readonly iso: number | null
  readonly cores: number
  readonly memory_mb: number
  readonly primary_disk_size: number
  readonly power: Power
  readonly power_in_force: Power
  readonly manner: Manner
  readonly cycle: number | null
  readonly installation: number | null
  readonly user_data: string | null
  readonly ssh_keys: string
  readonly root_password_hash: string | null
  readonly password_reset: number | null
  /** Until when the next boot goes to the rescue system; the three are null together. */
  readonly rescue_until: string | null
  readonly rescue_keys: string | null
  readonly rescue_password_hash: string | null
  readonly labels: string
  readonly protect_delete: 0 | 1
  readonly protect_rebuild: 0 | 1
  readonly version: number
  readonly backup_window: string | null
  /** The day in UTC on which the window opened for which the last daily backup was started; empty before the first. */
  readonly last_backup_day: string
}

/** What an action may change of a server besides its power. */
export const changeable = [
  'server_type',
  'cores',
  'memory_mb',
  'primary_disk_size',
  'image',
  'installation',
  'user_data',
  'root_password_hash',
  'password_reset',
  'rescue_until',
  'rescue_keys',
  'rescue_password_hash',
] as const satisfies (keyof ServerRow)[]

/** What a server that an action is changing goes back to when that fails. */
export interface ServerFormerRow extends Pick<ServerRow, (typeof changeable)[number]> {
  readonly server_id: number
  readonly project_id: ProjectId
}

declare module '../../kernel/data/db.ts' {
  interface TenantTables {
    server: ServerRow
    server_former: ServerFormerRow
    /** By server: what the infrastructure is to do for it. */
    server_state: DesiredRow
  }
}

export const serverLocks: Locks = {
  // What hangs on a server, in the order in which a deletion leaves it.
  order: [
    [
      'server',
      'server_state',
      'image',
      'placement_group',
      'placement_group_member',
      'address_pool',
      'primary_ip',
      'floating_ip',
      'floating_ip_routing',
      'volume',
      'volume_attachment',
      'firewall_application',
      'firewall_filter',
      'network_attachment',
      'network_interfaces',
    ],
    // The password of a console is sealed.
    ['server', 'key secrets', 'project_key'],
  ],
  belonging: { server_former: 'the server', console_session: 'the server, or whoever takes the one with its token' },
}
