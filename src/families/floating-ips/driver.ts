/** What Floating IPs need from the infrastructure. */

/**
 * All Floating IPs of one server: every other one does not lead to it. A driver ignores an older generation, and only one
 * that is newer than the newest it has seen takes addresses from other servers.
 */
export interface RoutingState {
  readonly serverId: number
  /** The id of the location of the server. */
  readonly location: number
  readonly generation: number
  /** IPv4 addresses and IPv6 /64 networks. */
  readonly ips: readonly string[]
  /** Addresses that other servers are about to take: what leads to this one of them does so until then. */
  readonly leaving?: readonly string[]
}

export interface RoutingDriver {
  /**
   * Makes exactly these addresses lead to the server, and to no other one: what another server has goes over at once.
   * Repeating it changes nothing.
   */
  apply(state: RoutingState): Promise<void>
}

declare module '../../kernel/actions/define.ts' {
  interface MachineDrivers {
    routing: RoutingDriver
  }
}
