/** Floating IPs that are blocked need somebody. */
import type { ItemOf } from '../../api/api.ts'
import type { States } from '../../pages/shared/states.ts'
import { needsOfAddress } from '../addresses/needs.ts'

export const states: States<ItemOf<'floating_ips_list'>> = {
  place: 5,
  needsOf: (row) => needsOfAddress('floating_ips', row),
}
