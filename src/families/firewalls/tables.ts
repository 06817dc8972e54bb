/** Rows of firewalls, of what they are applied to and of the packet filters that follow. */
import type { Locks } from '../../kernel/data/locks.ts'
import type { DesiredRow } from '../../kernel/resource/desired.ts'
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
export interface FirewallApplicationRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly firewall_id: number
  readonly server_id: number | null
  /** As it was given, and in the form in which two of the same meaning are equal. */
  readonly selector: string | null
  readonly selector_key: string | null
  /** The condition without which labels cannot match the selector; empty when there is none. */
  readonly leading_term: string
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
