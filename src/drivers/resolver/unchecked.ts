import type { DelegationDriver } from '../../families/certificates/driver.ts'

/** Takes it that every zone is delegated and that everybody sees every record. */
export const uncheckedDelegation: DelegationDriver = {
  isDelegated: async () => true,
  awaitChallenge: async () => undefined,
}
