/** What the test lab asks the infrastructure: what would happen to a packet. */

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
}

export interface Packet {
  readonly from: PacketEnd
  readonly to: PacketEnd
  readonly protocol: PacketProtocol
  /** The destination port; null for icmp. */
  readonly port: number | null
}

/** What let a packet through or stopped it. */
export interface Decision {
  /** `nothing` when no filter was on the way. */
  readonly by: 'rule' | 'filter' | 'power' | 'address' | 'nothing'
  readonly server: number | null
  readonly direction: 'in' | 'out' | null
  readonly rule: {
    readonly protocol: string
    readonly port: string | null
    readonly networks: readonly string[]
  } | null
}

export interface Verdict {
  readonly reachable: boolean
  /** The network that the packet takes; null when it takes none. */
  readonly path: 'public' | 'private' | null
  readonly decidedBy: Decision
  readonly explanation: string
}

export interface ReachabilityDriver {
  /** Whether it sees what other processes have handed over, and what this one did before it was started again. */
  remembers(): Promise<boolean>
  /** What would happen to the first packet of a connection; answers to it always pass. */
  trace(packet: Packet): Promise<Verdict>
}

declare module '../kernel/actions/define.ts' {
  interface Drivers {
    reachability: ReachabilityDriver
  }
}
