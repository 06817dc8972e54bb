/** The operations on DNS zones, as the API has them. */
import type { zoneEndpoints } from '../../../src/families/zones/contract.ts'
import type { rrsetEndpoints } from '../../../src/families/zones/rrsets/contract.ts'
import type { zonefileEndpoints } from '../../../src/families/zones/zonefiles/contract.ts'
import type { ActionsOf } from '../../api/contract.ts'

export type Contract = typeof zoneEndpoints &
  typeof zonefileEndpoints &
  typeof rrsetEndpoints &
  ActionsOf<'zones', 'id_or_name'>
