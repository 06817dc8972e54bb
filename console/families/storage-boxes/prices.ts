import type { ItemOf } from '../../api/api.ts'
import { hourlyLines, type Priced } from '../pricing/lines.ts'

export const prices: Priced<ItemOf<'storage_boxes_list'>> = {
  titles: { storage_box: { en: 'Storage Boxes', de: 'Storage-Boxen' } },
  linesOf: ({ storage_box_type: { name }, location }, { storage_box_types: types }) =>
    hourlyLines('storage_box', { type: name, location: location.name }, types),
}
