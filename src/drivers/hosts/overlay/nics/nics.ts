/** The interfaces of servers, as they are handed to the overlay. */

/** The public interface of a server. */
export interface PublicNic {
  readonly server: number
  readonly generation: number
  /** `volatile.uuid` of the instance. */
  readonly instance: string
  /** The hardware address of `eth0`. */
  readonly mac: string
  readonly ipv4: string | null
  /** A /64 network. */
  readonly ipv6: string | null
  /** True when nothing passes while no packet filter is known: one that the server is to have comes before its power. */
  readonly isClosed: boolean
}

/** An interface of a server in a private network. */
export interface PrivateNic {
  readonly network: number
  /** The network's name in Incus. */
  readonly incusNetwork: string
  /** `volatile.uuid` of the instance. */
  readonly instance: string
  /** Name of the device in Incus, such as `eth1`. */
  readonly device: string
  readonly mac: string
  readonly ip: string
  readonly aliasIps: readonly string[]
}
