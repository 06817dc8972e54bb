/** The parts that all public addresses have in seed files. */
import type { Fields, SeedPart } from '../../kernel/resource/seed.ts'

/** The reverse name of an address that is not known before it is made. */
export const reverseName: SeedPart = {
  by: 'change_dns_ptr',
  field: 'dns_ptr',
  body: (dns_ptr, { ip }) => ({ ip, dns_ptr }),
}

/** Tells whether a reverse name is the one that its address was given: those name the address. */
function isDefault({ ip, dns_ptr }: Fields): boolean {
  const octets = ip.split('.')
  const all = [octets, octets.toReversed()].flatMap((some) => ['.', '-'].map((mark) => some.join(mark)))
  return all.some((text) => dns_ptr.includes(text))
}

/** The reverse name of an IPv4 address, if somebody gave it one; names within an IPv6 network are never default. */
export function givenName({ type, dns_ptr }: Fields): string | null {
  const [name] = type === 'ipv4' ? dns_ptr : []
  return name && !isDefault(name) ? name.dns_ptr : null
}

/** Reverse names that have no place in a file, because a new network has other addresses. */
export const hasOtherNames = ({ type, dns_ptr }: Fields): boolean => type === 'ipv6' && dns_ptr.length > 0
