/** Storage Boxes need somebody that are almost full. */
import { linkTo } from '../../families.ts'
import { type Need, type States, withKind } from '../../pages/shared/states.ts'
import { percent } from '../../words/format.ts'
import { almostFull, type Box, sizeText, usageOf } from './box.ts'
import { boxes as w } from './words.ts'

function ofBox(box: Box): Need[] {
  const { id, name, stats, storage_box_type: type } = box
  const { used } = usageOf(box)
  if (used < almostFull) return []
  const free = sizeText(Math.max(0, type.size - stats.size))
  return [
    {
      key: `storage box ${id}`,
      mood: used >= 100 ? 'bad' : 'warn',
      title: `${name}: ${w.isFull(percent(Math.floor(used)))}`,
      text: withKind('storage_boxes', w.isFree(free)),
      link: linkTo('storage_boxes', 'one', { id }),
    },
  ]
}

export const states: States<Box> = {
  place: 6,
  needsOf: ofBox,
}
