/** Storage Boxes need somebody that are almost full. */
import type { ItemOf } from '../../api/api.ts'
import { linkTo } from '../../families.ts'
import { type Need, type States, withKind } from '../../pages/shared/states.ts'
import { percent } from '../../words/format.ts'
import { language } from '../../words/words.ts'
import { almostFull, sizeText, usageOf } from './usage.ts'

/** The overview needs no other words of the family. */
const w = {
  en: { full: (percent: string) => `${percent} full`, free: (size: string) => `${size} left` },
  de: { full: (percent: string) => `zu ${percent} voll`, free: (size: string) => `noch ${size} frei` },
}[language]

function ofBox(box: ItemOf<'storage_boxes_list'>): Need[] {
  const { id, name, stats, storage_box_type: type } = box
  const { used } = usageOf(box)
  if (used < almostFull) return []
  return [
    {
      key: `storage box ${id}`,
      mood: used >= 100 ? 'bad' : 'warn',
      title: `${name}: ${w.full(percent(Math.floor(used)))}`,
      text: withKind('storage_boxes', w.free(sizeText(Math.max(0, type.size - stats.size)))),
      link: linkTo('storage_boxes', 'one', { id }),
    },
  ]
}

export const states: States<ItemOf<'storage_boxes_list'>> = {
  place: 7,
  needsOf: ofBox,
}
