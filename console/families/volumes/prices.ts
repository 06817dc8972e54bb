/** What volumes cost. */
import type { ItemOf } from '../../api/api.ts'
import { type Priced, sizeLine } from '../../lib/prices.ts'

export const prices: Priced<Pick<ItemOf<'volumes_list'>, 'size'>> = {
  linesOf: ({ size }, { volume }) => [sizeLine('volume', size, volume)],
}
