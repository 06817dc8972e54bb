import type { ItemOf } from '../../api/api.ts'
import { type Line, monthlyLines, monthlyOf, type Priced, type PriceList } from '../pricing/lines.ts'

/** An address of a version in a location. */
export function linesOfAddress(type: 'ipv4' | 'ipv6', location: string, prices: PriceList): readonly Line[] {
  return monthlyLines('floating_ip', { type, location }, prices.floating_ips)
}

export const prices: Priced<ItemOf<'floating_ips_list'>> = {
  titles: { floating_ip: { en: 'Floating IPs', de: 'Floating IPs' } },
  linesOf: ({ type, home_location: { name } }, list) => linesOfAddress(type, name, list),
  firstPrice: {
    place: 30,
    label: { en: 'Floating IPv4', de: 'Floating IPv4' },
    amountOf: ({ floating_ips }) => monthlyOf('ipv4', floating_ips),
  },
}
