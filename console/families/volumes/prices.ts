import type { ItemOf } from '../../api/api.ts'
import { gigabyteOf, type Priced, sizeLine } from '../pricing/lines.ts'

export const prices: Priced<Pick<ItemOf<'volumes_list'>, 'size'>> = {
  titles: { volume: { en: 'Volumes', de: 'Volumes' } },
  linesOf: ({ size }, { volume }) => [sizeLine('volume', size, volume)],
  firstPrice: {
    place: 50,
    label: { en: 'Volume, per GB', de: 'Volume, je GB' },
    digits: 4,
    amountOf: ({ volume }) => gigabyteOf(volume),
  },
}
