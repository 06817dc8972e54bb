/** Rows of the pool that public addresses come from. */
import type { Locks } from '../../kernel/data/locks.ts'
import type { ProjectId } from '../../kernel/scope.ts'

export interface AddressRow {
  /** An IPv4 address, or an IPv6 /64 network. */
  readonly ip: string
  readonly family: 4 | 6
  /** The resource that has it, such as `primary_ip:10000000007`; null while it is free. */
  readonly owner: string | null
  /** The Project of the owner. */
  readonly project_id: ProjectId | null
  /** Clock time of its last release in milliseconds; 0 when it was never used. */
  readonly released_at: number
}

export interface AddressPoolRow {
  readonly cidr: string
  readonly family: 4 | 6
  /** Index of the first address that has no row yet. */
  readonly next: number
  readonly past_end: number
}

declare module '../../kernel/data/db.ts' {
  interface Tables {
    address_pool: AddressPoolRow
  }
  interface TenantTables {
    address: AddressRow
  }
}

export const addressLocks: Locks = {
  // A transaction that finds no free address waits for the pool, so that none is handed out twice.
  order: [['address_pool', 'address']],
  belonging: { address: 'its owner' },
}
