/** What Floating IPs need from the infrastructure. */

/** All Floating IPs of one server: every other one does not lead to it. A driver ignores an older generation. */
export interface RoutingState {
  readonly serverId: number
  /** The id of the location of the server. */
  readonly location: number
  readonly generation: number
  /** IPv4 addresses and IPv6 /64 networks. */
  readonly ips: readonly string[]
}

export interface RoutingDriver {
  /**
   * Makes exactly these addresses lead to the server, and to no other one that they led to before, at one moment. Repeating
   * it changes nothing.
   */
  apply(state: RoutingState): Promise<void>
}

declare module '../../kernel/actions/define.ts' {
  interface Drivers {
    routing: RoutingDriver
  }
}
