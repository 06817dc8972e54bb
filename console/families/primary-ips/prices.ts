import type { ItemOf } from '../../api/api.ts'
import { hourlyLines, type Line, monthlyOf, type Priced, type PriceList } from '../pricing/lines.ts'

/** An address of a version in a location. */
export function linesOfAddress(type: 'ipv4' | 'ipv6', location: string, prices: PriceList): readonly Line[] {
  return hourlyLines('primary_ip', { type, location }, prices.primary_ips)
}

export const prices: Priced<ItemOf<'primary_ips_list'>> = {
  titles: { primary_ip: { en: 'IP addresses', de: 'IP-Adressen' } },
  linesOf: ({ type, location }, list) => linesOfAddress(type, location.name, list),
  firstPrice: {
    place: 20,
    label: { en: 'Primary IPv4', de: 'Primary IPv4' },
    amountOf: ({ primary_ips }) => monthlyOf('ipv4', primary_ips),
  },
}
