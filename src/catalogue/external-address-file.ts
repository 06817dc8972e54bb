/** The addresses outside of the cloud in a catalogue file, and who owns them. */
import { type Static, Type } from 'typebox'
import { parseCidr } from '../protocols/net/ip.ts'
import type { ExternalRange } from './catalogue.ts'
import { checkUnique, fail } from './file-entries.ts'

export const ExternalAddressEntry = Type.Object({
  /** The pattern is that of Project names; the Project may be created later. */
  project: Type.String({ pattern: '^\\S(.{0,126}\\S)?$' }),
  ip_range: Type.String(),
})

type ExternalAddress = Static<typeof ExternalAddressEntry>

const list = 'external_addresses'

/** The ranges of a file; throws unless they are networks without host bits, of which no two have an address in common. */
export function parseExternalAddresses(entries: readonly ExternalAddress[]): readonly ExternalRange[] {
  const ranges = entries.map(({ project, ip_range }, index) => {
    const parsed = parseCidr(ip_range)
    if (!parsed.ok) fail(`${list}[${index}].ip_range`, parsed.message)
    return { project, ipRange: parsed.cidr }
  })
  checkUnique(ranges, list, 'ip_range', ({ ipRange }) => ipRange)
  checkApart(ranges)
  return ranges
}

/** The inverse of `parseExternalAddresses`. */
export function formatExternalAddress({ project, ipRange }: ExternalRange): ExternalAddress {
  return { project, ip_range: ipRange }
}

/** Networks have addresses in common only where one lies within the other. */
function checkApart(ranges: readonly ExternalRange[]): void {
  const indexes = new Map(ranges.map(({ ipRange }, index) => [ipRange, index]))
  for (const [index, { ipRange }] of ranges.entries()) {
    const outer = around(ipRange).find((network) => indexes.has(network))
    if (outer !== undefined) fail(`${list}[${index}].ip_range`, `lies within ${list}[${indexes.get(outer)}]`)
  }
}

/** All networks that a network lies within. */
function around(cidr: string): string[] {
  const [address, length] = cidr.split('/')
  const networks = Array.from({ length: Number(length) }, (_, prefix) => parseCidr(`${address}/${prefix}`, 'drop'))
  return networks.flatMap((network) => (network.ok ? [network.cidr] : []))
}
