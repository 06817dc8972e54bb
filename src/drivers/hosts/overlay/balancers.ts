/** Load balancers in OVN: what they have there is as of servers, but under marks of their own, and nothing filters it. */

import type { Internal } from './marks/records.ts'
import type { PrivateNic, PublicNic } from './nics/nics.ts'
import type { PrivateNics } from './nics/private-nics.ts'
import type { PublicNics } from './nics/public-nics.ts'

/** The public interface of a balancer; its IPv6 address is a single one. */
export interface BalancerNic extends Omit<PublicNic, 'server' | 'isClosed'> {
  readonly balancer: number
}

/** Errors of all methods are those of the overlay. */
export interface BalancerOverlay {
  /** The internal address of a balancer under this generation, as that of a server. */
  reserve(balancer: number, generation: number): Promise<Internal | undefined>
  /** Makes these be all public addresses of a balancer, before it runs; they may change while it does. */
  admit(nic: BalancerNic): Promise<void>
  /** Makes these be all private interfaces of a balancer. */
  admitPrivate(balancer: number, generation: number, nics: readonly PrivateNic[]): Promise<void>
  /** Takes away all rows of a balancer. Null also forgets its generation: what comes under its id then is another one. */
  forget(balancer: number, generation: number | null): Promise<void>
}

export function balancersOf(publicNics: PublicNics, privateNics: PrivateNics): BalancerOverlay {
  return {
    reserve: (balancer, generation) => publicNics.reserve(balancer, generation, null),
    admit: ({ balancer, ...nic }) => publicNics.admit({ ...nic, server: balancer, isClosed: false }),
    admitPrivate: (balancer, generation, nics) => privateNics.admit(balancer, generation, nics),
    async forget(balancer, generation) {
      if (await publicNics.forget(balancer, generation)) await privateNics.forget(balancer)
    },
  }
}
