/** Rows of Primary IPs. */
import type { Locks } from '../../kernel/data/locks.ts'
import type { ProjectId } from '../../kernel/scope.ts'
import type { IpType } from './domain.ts'

export interface PrimaryIpRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly name: string
  readonly type: IpType
  readonly ip: string
  readonly location: number
  readonly server_id: number | null
  readonly load_balancer_id: number | null
  readonly auto_delete: 0 | 1
  readonly dns_ptr: string
  readonly labels: string
  readonly protect_delete: 0 | 1
  readonly created: string
  readonly version: number
}

declare module '../../kernel/data/db.ts' {
  interface TenantTables {
    primary_ip: PrimaryIpRow
  }
}

export const primaryIpLocks: Locks = {
  order: [['server', 'server_state', 'address_pool', 'address', 'primary_ip']],
}
