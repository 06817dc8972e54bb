/** The options of one Incus cluster and of the network beneath it. */
import type { Clock } from '../../kernel/process/clock.ts'
import type { Endpoint } from '../../protocols/incus/transport.ts'
import type { OvnTls } from './overlay/overlay.ts'

/** The name of what runs locations that are on no hosts. */
export const simulatedName = 'simulated'

export const instanceTypes = ['container', 'virtual-machine'] as const
export type InstanceType = (typeof instanceTypes)[number]

/** One Incus cluster with its OVN. */
export interface ClusterOptions {
  /** By which locations name it. */
  readonly name: string
  /** Members of the cluster, or the unix socket of one. */
  readonly incus: readonly Endpoint[]
  readonly ovn: {
    /** Members of the northbound database: `unix:PATH`, `tcp:HOST:PORT` or `ssl:HOST:PORT`. */
    readonly remotes: readonly string[]
    readonly tls?: OvnTls
  }
  /** Names in Incus: the physical network, the OVN network of public interfaces, and the storage pool of disks. */
  readonly uplink: string
  readonly publicNetwork: string
  readonly pool: string
  readonly instanceType: InstanceType
  /** Further configuration of every instance, such as `security.nesting` for containers that run containers. */
  readonly instanceConfig?: Readonly<Record<string, string>>
  /** Addresses of the name servers that guests are told. */
  readonly nameServers: readonly string[]
  /** A host may promise so many times its memory to servers. */
  readonly overcommit: number
  /** The address of the metadata service on the uplink, as `ADDRESS:PORT`; null without one. */
  readonly metadata: string | null
}

/** Told of what happens on hosts and nobody waits for. */
export interface HostsLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** A cluster needs these parts of the process. */
export interface ClusterParts {
  readonly clock: Clock
  readonly log: HostsLog
  /** A private folder for what is measured; undefined when data is kept in memory. */
  readonly directory: string | undefined
  /** True when it is only looked at: nothing is prepared for servers. */
  readonly isLookedAt?: boolean
}
