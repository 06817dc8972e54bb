/** Tells how much of the Internet networks cover, however they are cut into pieces. Pure. */
import { cidrRange, type Family, parseCidr } from '../../../src/protocols/net/ip.ts'
import { privateNetworks } from '../../../src/protocols/net/private-networks.ts'

/** All public addresses of a version of the protocol, very many, not that many, or none. */
export type Exposure = 'all' | 'wide' | 'narrow' | 'none'

interface Range {
  readonly first: bigint
  readonly last: bigint
}

/** The number of addresses that counts as very many: a /8 of IPv4, a /16 of IPv6. */
const wide: Readonly<Record<Family, bigint>> = { 4: 1n << 24n, 6: 1n << 112n }
const whole: Readonly<Record<Family, string>> = { 4: '0.0.0.0/0', 6: '::/0' }

/** Ignores private addresses and what is no network. */
export function exposureOf(networks: readonly string[]): Exposure {
  const exposures = ([4, 6] as const).map((family) => exposureIn(family, networks))
  return (['all', 'wide', 'narrow'] as const).find((one) => exposures.includes(one)) ?? 'none'
}

function exposureIn(family: Family, networks: readonly string[]): Exposure {
  const open = publicCount(rangesOf(family, networks), family)
  if (open === publicCount(rangesOf(family, [whole[family]]), family)) return 'all'
  if (open >= wide[family]) return 'wide'
  return open > 0n ? 'narrow' : 'none'
}

function rangesOf(family: Family, networks: readonly string[]): readonly Range[] {
  return merged(
    networks.flatMap((one) => (parseCidr(one).ok ? [cidrRange(one)] : [])).filter((one) => one.family === family),
  )
}

/** Counts the public addresses of ranges that are in order and apart. */
function publicCount(ranges: readonly Range[], family: Family): bigint {
  const closed = rangesOf(family, privateNetworks)
  return ranges.reduce(
    (sum, range) => sum + count(range) - closed.reduce((all, one) => all + shared(range, one), 0n),
    0n,
  )
}

/** The same addresses in ranges that are in order and apart. */
function merged(ranges: readonly Range[]): readonly Range[] {
  const apart: Range[] = []
  for (const range of ranges.toSorted((a, b) => (a.first < b.first ? -1 : 1))) {
    const before = apart.at(-1)
    if (!before || range.first > before.last + 1n) apart.push(range)
    else if (range.last > before.last) apart[apart.length - 1] = { first: before.first, last: range.last }
  }
  return apart
}

const count = ({ first, last }: Range): bigint => (last < first ? 0n : last - first + 1n)

const shared = (a: Range, b: Range): bigint =>
  count({ first: a.first > b.first ? a.first : b.first, last: a.last < b.last ? a.last : b.last })
