/** Is all that the installation has of each family as it should be? Families look at themselves. */
import { resolvingDelegation } from '../../drivers/resolver/delegation.ts'
import { families } from '../../families.ts'
import type { Seen } from '../../kernel/process/seen.ts'
import type { Family } from '../../platform.ts'
import type { Patient } from '../patient.ts'

/** Those that look at themselves. */
export const checkedFamilies = families.filter(({ checkup }) => checkup !== undefined)

export const checkFamily =
  ({ checkup }: Pick<Family, 'checkup'>) =>
  async ({ open, clock, delegation, nameservers }: Patient): Promise<readonly Seen[]> => {
    const { query } = await open()
    const isDelegated =
      delegation === 'off' ? undefined : resolvingDelegation({ nameservers, resolver: delegation.resolver }).isDelegated
    return checkup!({ query, now: clock.now(), isDelegated, nameservers })
  }
