/** The parts that all public addresses have in seed files. */
import type { Fields, SeedPart } from '../../kernel/resource/seed.ts'
import { addressAt, cidrRange, parseAddress, parseCidr } from '../../protocols/net/ip.ts'

/** The addresses of a resource: an IPv4 address, and an IPv6 network or an address in it. */
export interface PublicAddresses {
  readonly ipv4: string
  readonly ipv6: string
}

/** A network is known only when it is made, so that its addresses stand in files without it, such as `::1`. */
const withoutNetwork = '::/64'

/** An address without its network has one spelling, so that the same name is always found again. */
const group = '[1-9a-f][0-9a-f]{0,3}'
const element = {
  ip: {
    pattern: `^::(${group}(:(0|${group})){0,3})?$`,
    description: 'An address in the network, written without the network, such as ::1',
  },
  dns_ptr: { maxLength: 1_024 },
}

/** The text of a network of 64 bits, or of the one that an address is in; undefined for IPv4. */
function networkOf(text: string): string | undefined {
  const parsed = parseCidr(`${text.split('/')[0]}/64`, 'drop')
  return parsed.ok && parsed.family === 6 ? parsed.cidr : undefined
}

/** The address in a network; one that is none of it stays as it is, for the operation to refuse. */
function addressWithin(text: string, hostPart: string): string {
  const network = networkOf(text)
  return network ? addressAt(network, cidrRange(`${hostPart}/128`).first) : hostPart
}

/** An address without its network. Errors: `TypeError` for anything else. */
function hostPartOf(ip: unknown): string {
  const network = networkOf(String(ip))
  const parsed = parseAddress(String(ip))
  if (!network || !parsed.ok) throw new TypeError(`${ip} is no IPv6 address`)
  return addressAt(withoutNetwork, cidrRange(`${parsed.address}/128`).first - cidrRange(network).first)
}

/** The parts that give reverse names to addresses which are not known before they are made. */
export function reverseNames(addressesOf: (resource: Fields) => PublicAddresses) {
  const by = 'change_dns_ptr'
  const inNetwork =
    (name: (value: Fields) => string | null) =>
    (value: Fields, resource: Fields): Fields => ({
      ip: addressWithin(addressesOf(resource).ipv6, value.ip),
      dns_ptr: name(value),
    })
  return {
    dns_ptr: { by, field: 'dns_ptr', body: (dns_ptr, resource) => ({ ip: addressesOf(resource).ipv4, dns_ptr }) },
    dns_ptr_ipv6: {
      by,
      each: ['ip'],
      element,
      body: inNetwork(({ dns_ptr }) => dns_ptr),
      undo: by,
      undoBody: inNetwork(() => null),
    },
  } satisfies Record<string, SeedPart>
}

/** Tells whether a reverse name is the one that its address was given: those name the address. */
function isDefault({ ip, dns_ptr }: Fields): boolean {
  const octets = ip.split('.')
  const all = [octets, octets.toReversed()].flatMap((some) => ['.', '-'].map((mark) => some.join(mark)))
  return all.some((text) => dns_ptr.includes(text))
}

/**
 * The values of the parts: the reverse names of some addresses that somebody gave them. Names within an IPv6 network are
 * never default.
 */
export function givenNames(names: readonly Fields[]) {
  const isIpv6 = ({ ip }: Fields) => ip.includes(':')
  const given = names.filter((one) => isIpv6(one) || !isDefault(one))
  return {
    dns_ptr: given.find((one) => !isIpv6(one))?.dns_ptr ?? null,
    dns_ptr_ipv6: given.filter(isIpv6).map(({ ip, dns_ptr }) => ({ ip: hostPartOf(ip), dns_ptr })),
  }
}

/** The parts of what is one address or one network. */
export const ownReverseNames = reverseNames(({ ip }) => ({ ipv4: ip, ipv6: ip }))
