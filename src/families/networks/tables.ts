/** Rows of networks. */
import type { Locks } from '../../kernel/data/locks.ts'
import type { DesiredRow } from '../../kernel/resource/desired.ts'
import type { ProjectId } from '../../kernel/scope.ts'
import type { MemberStatus } from './members/domain.ts'

export interface NetworkRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly name: string
  readonly ip_range: string
  /** JSON lists of subnets and of routes. */
  readonly subnets: string
  readonly routes: string
  /** JSON of what the network goes back to if the change that is under way fails. */
  readonly former: string | null
  readonly expose_routes_to_vswitch: 0 | 1
  readonly labels: string
  readonly protect_delete: 0 | 1
  readonly created: string
  readonly version: number
}

/** Which network a vSwitch is coupled with. */
export interface NetworkVswitchRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly network_id: number
}

/** A server in a network. */
export interface NetworkAttachmentRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly network_id: number
  readonly server_id: number
  readonly ip: string
  /** The same as a number. */
  readonly address: number
  /** JSON lists of addresses. */
  readonly alias_ips: string
  readonly former_alias_ips: string | null
  readonly status: MemberStatus
}

declare module '../../kernel/data/db.ts' {
  interface TenantTables {
    network: NetworkRow
    /** By network: what the infrastructure is to do for it. */
    network_state: DesiredRow
    network_vswitch: NetworkVswitchRow
    network_attachment: NetworkAttachmentRow
    /** By server: which private interfaces it has. */
    network_interfaces: DesiredRow
  }
}

export const networkLocks: Locks = {
  order: [
    // A change of one server locks the network, then the server, then what it has there. A network that goes away is left
    // by its members first.
    ['firewall', 'network', 'server', 'network_attachment', 'network_interfaces', 'network_vswitch', 'network_state'],
  ],
}
