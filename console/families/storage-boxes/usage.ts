/** Sizes are shown as people read them, and the room of a Storage Box as what is taken of it. */
import type { ItemOf } from '../../api/api.ts'
import { locale } from '../../words/format.ts'

type Used = Pick<ItemOf<'storage_boxes_list'>, 'stats' | 'storage_box_type'>

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** Bytes in their largest unit: `512 B`, `1.5 GiB`, `10 TiB`. */
export function sizeText(bytes: number): string {
  // What would be rounded to 1,024 of a unit is one of the next.
  const isLarger = (power: number) => bytes >= 1023.5 * 1024 ** (power - 1)
  const power = units.findLastIndex((_, index) => index === 0 || isLarger(index))
  const value = bytes / 1024 ** power
  return `${value.toLocaleString(locale, { maximumFractionDigits: value < 10 && power > 0 ? 1 : 0 })} ${units[power]}`
}

/** Returns what files and snapshots take of the room of a box, as percentages of it. */
export function usageOf({ stats, storage_box_type: { size } }: Used) {
  const share = (bytes: number) => Math.min(100, (bytes / size) * 100)
  return { used: share(stats.size), files: share(stats.size_data), snapshots: share(stats.size_snapshots) }
}

/** A box in which so much is taken needs somebody, in percent. */
export const almostFull = 90
