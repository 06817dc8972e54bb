/** Opens one Incus cluster with the network beneath it. */
import type { Capabilities } from '../../catalogue/capabilities.ts'
import type { Machines } from '../by-location.ts'
import type { ClusterOptions, ClusterParts } from './options.ts'

/** The hosts of one cluster. */
export interface Hosts {
  /** Without Load Balancers where nothing can carry their traffic. */
  readonly machines: Omit<Machines, 'loadBalancers'> & Partial<Pick<Machines, 'loadBalancers'>>
  /** What its locations can do at the moment. */
  capabilities(): Capabilities
  close(): Promise<void>
}

/** Connects to the cluster. Errors: one line for the operator when it cannot be reached or lacks what is needed. */
export async function openIncus(_options: ClusterOptions, _parts: ClusterParts): Promise<Hosts> {
  throw new Error('hosts cannot be driven yet')
}
