/** What firewalls need from the infrastructure. */

/** One parsed rule. It holds numbers, enumerations and canonical networks only: no text of a user gets this far. */
export interface FilterRule {
  readonly protocol: 'tcp' | 'udp' | 'icmp' | 'esp' | 'gre'
  /** First and last port; null for any port, and for protocols without ports. */
  readonly ports: { readonly first: number; readonly last: number } | null
  /** Canonical CIDRs: sources of inbound rules, destinations of outbound ones. */
  readonly networks: readonly string[]
}

export interface FilterDirection {
  /** What happens to packets that no rule accepts. */
  readonly otherwise: 'accept' | 'drop'
  readonly accept: readonly FilterRule[]
}

/** The whole packet filter of one server: the union of its firewalls. A driver ignores an older generation. */
export interface FilterState {
  readonly serverId: number
  /** The id of the location of the server. */
  readonly location: number
  readonly generation: number
  readonly inbound: FilterDirection
  readonly outbound: FilterDirection
}

export interface FirewallDriver {
  /** Puts the filter in force as a whole: no packet sees half of it. Repeating it changes nothing. */
  apply(state: FilterState): Promise<void>
}

declare module '../../kernel/actions/define.ts' {
  interface MachineDrivers {
    firewalls: FirewallDriver
  }
}
