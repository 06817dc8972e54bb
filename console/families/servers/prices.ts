import type { ItemOf } from '../../api/api.ts'
import {
  hourlyLines,
  type Line,
  least,
  leastMonthly,
  type Priced,
  type PriceList,
  shareLine,
} from '../pricing/lines.ts'

interface Wanted {
  readonly type: string
  readonly location: string
  readonly backups?: boolean | undefined
  readonly count?: number
}

/** Servers of a type, and the backups of them, which cost a share of it. */
export function linesOfServer({ backups = false, ...wanted }: Wanted, prices: PriceList): readonly Line[] {
  const [line] = hourlyLines('server', wanted, prices.server_types)
  if (!line) return []
  return backups ? [line, shareLine('backups', line, prices.server_backup.percentage)] : [line]
}

export const prices: Priced<ItemOf<'servers_list'>> = {
  titles: { server: { en: 'Servers', de: 'Server' }, backups: { en: 'Backups', de: 'Backups' } },
  linesOf: ({ server_type: { name }, location, backup_window }, list) =>
    linesOfServer({ type: name, location: location?.name ?? '', backups: backup_window !== null }, list),
  firstPrice: {
    place: 10,
    label: { en: 'Smallest server', de: 'Kleinster Server' },
    amountOf: ({ server_types }) => least(server_types.flatMap((type) => leastMonthly(type.prices) ?? [])),
  },
}
