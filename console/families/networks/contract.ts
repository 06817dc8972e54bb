/** The operations on networks, as the API has them. */
import type { networkEndpoints } from '../../../src/families/networks/contract.ts'
import type { memberEndpoints } from '../../../src/families/networks/members/contract.ts'
import type { ActionsOf } from '../../api/contract.ts'

export type Contract = typeof networkEndpoints & typeof memberEndpoints & ActionsOf<'networks'>
