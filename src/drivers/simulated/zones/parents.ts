/** A cloud in which nobody asks the parents of zones. */
import { uncheckedParents } from '../../resolver/unchecked.ts'

/** Creates the driver. */
export const simulateParents = () => ({ drivers: { zones: uncheckedParents }, world: {} })
