/** Only snapshots cost money. */
import type { ItemOf } from '../../api/api.ts'
import { gigabyteOf, type Priced, sizeLine } from '../pricing/lines.ts'

export const prices: Priced<ItemOf<'images_list'>> = {
  titles: { snapshot: { en: 'Snapshots', de: 'Snapshots' } },
  query: { type: ['snapshot'] },
  linesOf: ({ image_size: size }, { image }) => [sizeLine('snapshot', size ?? 0, image)],
  firstPrice: {
    place: 40,
    label: { en: 'Snapshot, per GB', de: 'Snapshot, je GB' },
    digits: 4,
    amountOf: ({ image }) => gigabyteOf(image),
  },
}
