/**
 * OVN checks ports by itself: no row of a packet filter sees neighbour discovery of IPv6, by which a server would
 * pretend to be the router. All else is left to rows, so it stays the same whatever addresses the server has: a change of it
 * would cost packets.
 */
import { cidrContains, parseCidr } from '../../../../protocols/net/ip.ts'
import { without } from '../filters/matches.ts'
import { linkLocal, macOf } from './guards.ts'

/** All addresses that servers may have beyond the link. */
const elsewhere = ['0.0.0.0/0', '2000::/3', 'fc00::/7']

/** Networks of the addresses that ports may have: all but those of their router on the link. */
export function networksBeside(router: readonly string[]): string[] {
  // So much around them is left out that the rest is few networks; what a server chooses by chance is not in it.
  const nobodys = router.filter((address) => cidrContains(linkLocal, address)).map(around)
  return [...elsewhere, ...without(linkLocal, nobodys)]
}

/** As the column `port_security` has it. */
export const portSecurity = (mac: string, networks: readonly string[]) => [macOf(mac), ...networks].join(' ')

function around(address: string): string {
  const parsed = parseCidr(`${address}/96`, 'drop')
  if (!parsed.ok) throw new RangeError(parsed.message)
  return parsed.cidr
}
