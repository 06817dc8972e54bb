/** The sources that a server or a load balancer may claim on its public interface. */

import { InternalRange, type Logical, linkLocalOf } from '../logical.ts'
import type { SubjectRecord } from '../marks/records.ts'
import type { Guarded } from './guards.ts'

/** The address by which servers find their router. */
export const gatewayAddress = 'fe80::1'

interface PublicGuarded extends Guarded {
  readonly ipv6: readonly string[]
  /** An IPv4 address that is good for metadata alone. */
  readonly internal: string
}

/** Derives them from what is remembered; undefined for a subject without an interface. */
export function guardedOf(logical: Logical, record: SubjectRecord): PublicGuarded | undefined {
  const { nic, internal, primary, floating, gone } = record
  if (!nic || !internal || gone !== null) return undefined
  const addresses = [...primary, ...floating]
  return {
    ...nic,
    internal: internal.ipv4,
    ipv4: [internal.ipv4, ...addresses.filter((address) => !address.includes(':'))],
    ipv6: addresses.filter((address) => address.includes(':')),
    router: routerAddresses(logical),
    // Neighbours may be of different Projects.
    only: logical.routerMac,
    hidden: new InternalRange(logical).networks,
  }
}

/** The IPv6 addresses of a router: on its port, and on the link. */
export function routerAddresses({ routerNetworks, routerMac }: Logical): string[] {
  const own = routerNetworks.map((network) => network.split('/')[0]!).filter((address) => address.includes(':'))
  return [...new Set([...own, linkLocalOf(routerMac), gatewayAddress])]
}
