import type { DelegationDriver } from '../../families/certificates/managed/driver.ts'

/** Assumes that every zone is delegated and that every record is visible everywhere. */
export const uncheckedDelegation: DelegationDriver = {
  isDelegated: async () => true,
  awaitChallenge: async () => undefined,
}
