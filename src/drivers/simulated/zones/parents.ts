/** Parents that delegate every zone to its name servers. */
import { uncheckedParents } from '../../resolver/unchecked.ts'

/** Creates the driver. */
export const simulateParents = () => ({
  drivers: { zones: uncheckedParents },
  world: {},
  certain: ['zones.delegationOf'],
})
