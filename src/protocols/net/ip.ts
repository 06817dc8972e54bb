/** Addresses and networks in canonical form and arithmetic on them, for both families alike. */
import { bytesOfAddress, textOfAddress } from './address-bytes.ts'

/** Version of the internet protocol. */
export type Family = 4 | 6

/** `cidr` is canonical: lower case, IPv6 compressed, no host bits. `prefixLength` is in bits. */
export type CidrResult =
  | { ok: true; cidr: string; family: Family; prefixLength: number }
  | { ok: false; message: string }

/** `address` is canonical: lower case, IPv6 compressed. */
export type AddressResult = { ok: true; address: string; family: Family } | { ok: false; message: string }

/** Longest text read as an address or a network, in characters. */
export const maxNetworkText = 64

/** Addresses are numbers here, so that arithmetic is the same for IPv4 and IPv6. */
type Address = { readonly family: Family; readonly bits: bigint }
type Network = Address & { readonly prefixLength: number }
type Failure = { readonly message: string }

const byteBits = 8n

/**
 * Parses a network such as `10.0.0.0/8` or `2001:db8::/32` (spec: Firewall). The mask is mandatory, and
 * host bits must be zero unless `hostBitsSet` is `drop`. IPv4 must be four decimal octets without leading zeros; zone
 * ids are refused. IPv6 with an embedded IPv4 part is returned in hexadecimal groups.
 */
export function parseCidr(text: string, hostBitsSet: 'refuse' | 'drop' = 'refuse'): CidrResult {
  const known = lately.get(text)
  if (known) return known
  const network = readNetwork(text, hostBitsSet)
  if ('message' in network) return { ok: false, message: network.message }
  const { family, prefixLength } = network
  const result: CidrResult = { ok: true, cidr: formatNetwork(network), family, prefixLength }
  if (hostBitsSet === 'refuse') remember(text, result)
  return result
}

/** A cache: most rules use the same few networks. It holds only results that do not depend on `hostBitsSet`. */
const lately = new Map<string, CidrResult>()
const mostRemembered = 1_000

function remember(text: string, result: CidrResult): void {
  if (lately.size >= mostRemembered) lately.clear()
  lately.set(text, result)
}

/** Parses a single address, without a mask, by the rules of {@link parseCidr}. */
export function parseAddress(text: string): AddressResult {
  if (text.length > maxNetworkText) return { ok: false, ...tooLong('an ip address') }
  const bytes = bytesOfAddress(text)
  if (bytes === undefined) return { ok: false, message: `${JSON.stringify(text)} is not an ip address` }
  return { ok: true, address: textOfAddress(bytes), family: bytes.length === 4 ? 4 : 6 }
}

/**
 * Returns the address `offset` places after the first one of a network (the network address itself is at 0).
 * Throws RangeError when `cidr` is malformed or the offset lies outside it.
 */
export function addressAt(cidr: string, offset: bigint): string {
  const network = requireNetwork(cidr)
  if (offset < 0n || offset >= size(network)) throw new RangeError(`${cidr} has no address at offset ${offset}`)
  return formatAddress({ family: network.family, bits: network.bits + offset })
}

/** Returns the number of addresses in a network, first and last included. Throws RangeError when malformed. */
export function cidrSize(cidr: string): bigint {
  return size(requireNetwork(cidr))
}

/** Returns the first and the last address of a network as numbers. Throws RangeError when malformed. */
export function cidrRange(cidr: string): { readonly family: Family; readonly first: bigint; readonly last: bigint } {
  const network = requireNetwork(cidr)
  return { family: network.family, first: network.bits, last: network.bits + size(network) - 1n }
}

/**
 * Returns the subnet `index` (from 0) of the given prefix length, in bits, such as the second /64 of a /32.
 * Throws RangeError when `cidr` is malformed, the prefix is not within it, or the index lies outside it.
 */
export function subnetAt(cidr: string, prefixLength: number, index: bigint): string {
  const { family, bits, prefixLength: outer } = requireNetwork(cidr)
  if (!Number.isInteger(prefixLength) || prefixLength < outer || prefixLength > width(family)) {
    throw new RangeError(`${cidr} has no subnets of prefix length ${prefixLength}`)
  }
  if (index < 0n || index >= 1n << BigInt(prefixLength - outer)) {
    throw new RangeError(`${cidr} has no /${prefixLength} at index ${index}`)
  }
  const step = hostBits(family, prefixLength)
  return formatNetwork({ family, bits: bits + (index << step), prefixLength })
}

/**
 * Tells whether an address lies in a network. Families never mix: an IPv4 address is not in an IPv6 network, not even
 * in the one of the mapped addresses. Throws RangeError when either text is malformed.
 */
export function cidrContains(cidr: string, address: string): boolean {
  const network = requireNetwork(cidr)
  const { family, bits } = requireAddress(address)
  if (family !== network.family) return false
  const shift = hostBits(family, network.prefixLength)
  return bits >> shift === network.bits >> shift
}

/** Returns the IPv4 address in the last four bytes of an address. Throws RangeError when the text is not an address. */
export function embeddedIpv4(address: string): string {
  return formatAddress({ family: 4, bits: requireAddress(address).bits & 0xffffffffn })
}

function readNetwork(text: string, hostBitsSet: 'refuse' | 'drop' = 'refuse'): Network | Failure {
  if (text.length > maxNetworkText) return tooLong('a network')
  const slash = text.indexOf('/')
  if (slash === -1) return { message: `${JSON.stringify(text)} has no mask, such as /32` }
  const address = readAddress(text.slice(0, slash))
  if (address === undefined) return { message: `${JSON.stringify(text)} does not begin with an ip address` }
  const { family, bits } = address
  const prefixLength = readDecimal(text.slice(slash + 1), width(family))
  if (prefixLength === undefined) {
    return { message: `${JSON.stringify(text)} must have a mask from /0 to /${width(family)}` }
  }
  const shift = hostBits(family, prefixLength)
  const network: Network = { family, bits: (bits >> shift) << shift, prefixLength }
  if (network.bits === bits || hostBitsSet === 'drop') return network
  const given = `${formatAddress(address)}/${prefixLength}`
  return { message: `${given} has host bits set; the network is ${formatNetwork(network)}` }
}

function readAddress(text: string): Address | undefined {
  const bytes = bytesOfAddress(text)
  if (bytes === undefined) return undefined
  const view = new DataView(bytes.buffer)
  if (bytes.length === 4) return { family: 4, bits: BigInt(view.getUint32(0)) }
  return { family: 6, bits: (view.getBigUint64(0) << 64n) | view.getBigUint64(8) }
}

/** Parses up to three digits without sign or leading zero; undefined for anything else and for values above `max`. */
function readDecimal(text: string, max: number): number | undefined {
  return /^(?:0|[1-9]\d{0,2})$/.test(text) && Number(text) <= max ? Number(text) : undefined
}

/** Callers of the arithmetic hold networks that were parsed before, so a malformed one is a defect. */
function requireNetwork(cidr: string): Network {
  const network = readNetwork(cidr)
  if ('message' in network) throw new RangeError(network.message)
  return network
}

function requireAddress(text: string): Address {
  const address = text.length > maxNetworkText ? undefined : readAddress(text)
  if (address === undefined) {
    throw new RangeError(`${JSON.stringify(text.slice(0, maxNetworkText))} is not an ip address`)
  }
  return address
}

function tooLong(what: string): Failure {
  return { message: `${what} cannot have more than ${maxNetworkText} characters` }
}

function width(family: Family): number {
  return family === 4 ? 32 : 128
}

function hostBits(family: Family, prefixLength: number): bigint {
  return BigInt(width(family) - prefixLength)
}

function size(network: Network): bigint {
  return 1n << hostBits(network.family, network.prefixLength)
}

function formatNetwork(network: Network): string {
  return `${formatAddress(network)}/${network.prefixLength}`
}

function formatAddress({ family, bits }: Address): string {
  return textOfAddress(splitBytes(bits, family === 4 ? 4 : 16))
}

/** Most significant byte first. */
function splitBytes(bits: bigint, count: number): Uint8Array {
  return Uint8Array.from({ length: count }, (_, index) =>
    Number((bits >> (BigInt(count - 1 - index) * byteBits)) & 0xffn),
  )
}

/** A canonical IPv4 address as a number, in whose order addresses are. */
export function numberOfIpv4(address: string): number {
  let [number, octet] = [0, 0]
  for (let at = 0; at < address.length; at++) {
    const code = address.charCodeAt(at)
    if (code === dot) [number, octet] = [number * 256 + octet, 0]
    else octet = octet * 10 + code - zero
  }
  return number * 256 + octet
}

const [dot, zero] = ['.'.charCodeAt(0), '0'.charCodeAt(0)] as [number, number]

/** 4 or 6; undefined for what is no address. */
export function familyOf(address: string): Family | undefined {
  const parsed = parseAddress(address)
  return parsed.ok ? parsed.family : undefined
}
