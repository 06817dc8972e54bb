/** Rows of firewalls, of what they are applied to and of the packet filters that follow. */
import type { Locks } from '../../kernel/data/locks.ts'
import type { DesiredRow } from '../../kernel/resource/desired.ts'
import type { SelectorColumns } from '../../kernel/resource/stored-selectors.ts'
import type { ProjectId } from '../../kernel/scope.ts'

export interface FirewallRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly name: string
  readonly labels: string
  readonly rules: string
  readonly created: string
  readonly version: number
}

/** An entry of `applied_to`: a server or a label selector. */
export interface FirewallApplicationRow extends SelectorColumns {
  readonly id: number
  readonly project_id: ProjectId
  readonly firewall_id: number
  readonly server_id: number | null
}

/** A server that some selector of a firewall matches; under several selectors it counts for the oldest. */
export interface FirewallMatchRow {
  readonly firewall_id: number
  readonly server_id: number
  readonly project_id: ProjectId
  readonly application_id: number
}

declare module '../../kernel/data/db.ts' {
  interface TenantTables {
    firewall: FirewallRow
    firewall_application: FirewallApplicationRow
    firewall_match: FirewallMatchRow
    /** By server: what its packet filter is. */
    firewall_filter: DesiredRow
  }
}

export const firewallLocks: Locks = {
  order: [['firewall', 'server', 'firewall_application', 'firewall_filter']],
  belonging: { firewall_match: 'the Project alone, or shared together with the server' },
}
