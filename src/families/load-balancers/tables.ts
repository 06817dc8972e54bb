/** Rows of Load Balancers, of their targets and of their places in networks. */
import type { Locks } from '../../kernel/data/locks.ts'
import type { DesiredRow } from '../../kernel/resource/desired.ts'
import type { SelectorColumns } from '../../kernel/resource/stored-selectors.ts'
import type { ProjectId } from '../../kernel/scope.ts'
import type { SealedColumn } from '../../kernel/secrets/secrets.ts'
import type { Shape } from './domain.ts'
import type { TargetStatus } from './targets/domain.ts'

export interface LoadBalancerRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly name: string
  readonly load_balancer_type: number
  readonly max_connections: number
  readonly location: number
  readonly algorithm: Shape['algorithm']
  /** JSON list. */
  readonly services: string
  readonly public_enabled: 0 | 1
  /** JSON of what it goes back to if the change that is under way fails. */
  readonly former: string | null
  readonly ipv4: string
  /** A /64 network. */
  readonly ipv6: string
  /** Ids of the Primary IPs that have the addresses; null for addresses of its own. */
  readonly ipv4_primary: number | null
  readonly ipv6_primary: number | null
  /** JSON list of the reverse names of its own addresses. */
  readonly dns_ptr: string
  /** Sealed. */
  readonly cookie_secret: string
  readonly labels: string
  readonly protect_delete: 0 | 1
  readonly created: string
  readonly version: number
}

/** A server, a label selector or an address outside of the cloud. */
export interface LoadBalancerTargetRow extends SelectorColumns {
  readonly id: number
  readonly project_id: ProjectId
  readonly load_balancer_id: number
  readonly server_id: number | null
  readonly ip: string | null
  readonly use_private_ip: 0 | 1
  readonly status: TargetStatus
}

/** A server that the selector of a target matches. */
export interface LoadBalancerMatchRow {
  readonly target_id: number
  readonly server_id: number
  readonly project_id: ProjectId
  readonly load_balancer_id: number
}

/** Where a Load Balancer is in a network, by its id. */
export interface LoadBalancerPlaceRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly network_id: number
  readonly ip: string
  /** The same as a number. */
  readonly address: number
  readonly status: 'ok' | 'attaching' | 'detaching'
}

declare module '../../kernel/data/db.ts' {
  interface TenantTables {
    load_balancer: LoadBalancerRow
    load_balancer_target: LoadBalancerTargetRow
    load_balancer_match: LoadBalancerMatchRow
    load_balancer_place: LoadBalancerPlaceRow
    /** By Load Balancer: what the data plane is to do for it. */
    load_balancer_state: DesiredRow
  }
}

/** Where the secrets of sticky cookies are sealed. */
export const cookieSecrets: SealedColumn = { table: 'load_balancer', column: 'cookie_secret', key: 'id' }

export const loadBalancerLocks: Locks = {
  order: [
    ['network', 'load_balancer', 'server'],
    ['load_balancer', 'address_pool', 'address', 'primary_ip'],
    ['server_state', 'load_balancer_target', 'load_balancer_place', 'load_balancer_state'],
    // A server leaves its networks before it leaves Load Balancers, and so do all servers of a network that goes away.
    ['network_interfaces', 'load_balancer_target'],
    ['load_balancer_state', 'network_vswitch'],
    ['load_balancer', 'certificate', 'load_balancer_state'],
    ['load_balancer', 'key secrets'],
  ],
  belonging: { load_balancer_match: 'the target, or the Project shared together with the server' },
}
