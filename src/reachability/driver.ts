/** Reachability asks the infrastructure what would happen to a packet. */
import type { Drivers } from '../kernel/actions/define.ts'

export const packetProtocols = ['tcp', 'udp', 'icmp'] as const
export type PacketProtocol = (typeof packetProtocols)[number]

/**
 * One end of a packet: a server, an address that leads to a server, or an address outside, whose side of the way is
 * unknown and stops nothing.
 */
export interface PacketEnd {
  readonly server: number | null
  /** Null when the packet may use any address of the server. */
  readonly address: string | null
  /** True when only private networks lead to the address. */
  readonly isPrivate: boolean
}

export interface Packet {
  readonly from: PacketEnd
  readonly to: PacketEnd
  /** Requests ask about some protocols, filters know more. */
  readonly protocol: PacketProtocol | 'esp' | 'gre'
  /** The destination port; null for icmp. */
  readonly port: number | null
}

/** The cause that let a packet through or stopped it. */
export interface Decision {
  /** `route` when a route of a private network led it on or none did, `nothing` when it met neither filter nor route. */
  readonly by: 'rule' | 'filter' | 'power' | 'address' | 'route' | 'nothing'
  readonly server: number | null
  /** The private network whose route or whose members it was about. */
  readonly network: number | null
  readonly direction: 'in' | 'out' | null
  readonly rule: {
    readonly protocol: string
    readonly port: string | null
    readonly networks: readonly string[]
  } | null
}

export interface Verdict {
  readonly reachable: boolean
  /** The network by which the packet arrives; null when it does not. */
  readonly path: 'public' | 'private' | null
  readonly decidedBy: Decision
  readonly explanation: string
}

export interface ReachabilityDriver {
  /**
   * Traces the first packet of a connection; answers to it always pass. `tell` hands other drivers all that is in force
   * for the servers that have a part in it.
   */
  trace(packet: Packet, tell: (drivers: Drivers) => Promise<void>): Promise<Verdict>
}

declare module '../kernel/actions/define.ts' {
  interface Drivers {
    reachability: ReachabilityDriver
  }
}
