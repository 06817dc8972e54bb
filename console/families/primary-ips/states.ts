/** Primary IPs that are blocked need somebody. */
import type { ItemOf } from '../../api/api.ts'
import type { States } from '../../pages/shared/states.ts'
import { needsOfAddress } from '../addresses/needs.ts'

export const states: States<ItemOf<'primary_ips_list'>> = {
  place: 6,
  needsOf: (row) => needsOfAddress('primary_ips', row),
}
