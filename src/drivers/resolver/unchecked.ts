import type { DelegationDriver } from '../../families/certificates/managed/driver.ts'
import type { ZonesDriver } from '../../families/zones/driver.ts'

/** Assumes that every zone is delegated and that every record is visible everywhere. */
export const uncheckedDelegation: DelegationDriver = {
  isDelegated: async () => true,
  awaitChallenge: async () => undefined,
}

/** Nobody asks the parents of zones. */
export const uncheckedParents: ZonesDriver = {}
