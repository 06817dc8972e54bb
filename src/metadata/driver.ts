/** The driver of the metadata service: the infrastructure identifies the calling server. */

/** A connection as the host sees it. Request headers are not part of it, because the caller controls them. */
export interface Caller {
  readonly remoteAddress: string
  readonly localAddress: string
  readonly path: string
}

export interface IdentifiedCaller {
  readonly serverId: number
  readonly path: string
  /** The address that it called, where packets to it are translated to the listener; undefined for the listener's own. */
  readonly calledAt?: string
  /** The ids of the locations whose servers the driver knows; all of them when undefined. */
  readonly locations?: ReadonlySet<number>
}

export interface MetadataDriver {
  /** Identifies the calling server and the requested path; undefined when the caller is not a server. */
  identify(caller: Caller): IdentifiedCaller | undefined
}

declare module '../kernel/actions/define.ts' {
  interface MachineDrivers {
    metadata: MetadataDriver
  }
}
