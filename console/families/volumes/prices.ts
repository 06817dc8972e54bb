import type { ItemOf } from '../../api/api.ts'
import { type Priced, sizeLine } from '../pricing/lines.ts'

export const prices: Priced<Pick<ItemOf<'volumes_list'>, 'size'>> = {
  titles: { volume: { en: 'Volumes', de: 'Volumes' } },
  linesOf: ({ size }, { volume }) => [sizeLine('volume', size, volume)],
}
