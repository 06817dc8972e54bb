/** What others may ask about networks. */
import type { Queries } from '../../kernel/data/db.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { networks } from './store.ts'

export { interfacesOf, type OwnInterface } from './members/interfaces.ts'
export { placesOf } from './members/store.ts'

/** The ranges of the vSwitches that a network reaches. */
export async function vswitchRangesOf(query: Queries, scope: ProjectScope, networkId: number): Promise<string[]> {
  const { subnets } = await networks.get(query, scope, networkId)
  return subnets.filter(({ type }) => type === 'vswitch').map(({ ipRange }) => ipRange)
}
