/** Lists the monthly prices that one asks about first. */
import { least, leastMonthly, type PriceList } from './lines.ts'

/** Undefined is what the list leaves out. */
export function overviewOf({ server_types, primary_ips, floating_ips, image, volume, traffic }: PriceList) {
  const ipv4 = <Of extends { readonly type: string }>(all: readonly Of[]) => all.find(({ type }) => type === 'ipv4')
  return {
    server: least(server_types.flatMap(({ prices }) => leastMonthly(prices) ?? [])),
    primary_ip: ipv4(primary_ips)?.prices[0]?.price_monthly.net,
    floating_ip: ipv4(floating_ips)?.prices[0]?.price_monthly.net,
    image: image.price_per_gb_month.net,
    volume: volume.price_per_gb_month.net,
    traffic: traffic?.price_per_tb.net,
  }
}
