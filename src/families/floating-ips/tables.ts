/** Rows of Floating IPs. */
import type { Locks } from '../../kernel/data/locks.ts'
import type { DesiredRow } from '../../kernel/resource/desired.ts'
import type { ProjectId } from '../../kernel/scope.ts'

export interface FloatingIpRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly name: string
  readonly description: string | null
  readonly type: 'ipv4' | 'ipv6'
  readonly ip: string
  readonly home_location: number
  readonly server_id: number | null
  readonly dns_ptr: string
  readonly labels: string
  readonly protect_delete: 0 | 1
  readonly created: string
  readonly version: number
}

declare module '../../kernel/data/db.ts' {
  interface TenantTables {
    floating_ip: FloatingIpRow
    /** By server: which Floating IPs lead to it. */
    floating_ip_routing: DesiredRow
  }
}

export const floatingIpLocks: Locks = {
  order: [['server', 'address', 'floating_ip', 'floating_ip_routing']],
}
