/**
 * Compact denial of existence (RFC 9824): one NSEC record at the very name that was asked for says which types it has, or
 * that it does not exist. No record tells of any other name, and an answer needs one signature.
 */
import { type NameKey, rootName } from '../../protocols/net/dns/names.ts'
import { recordTypes } from '../../protocols/net/dns/rdata.ts'
import { wireTypes } from '../dnssec.ts'
import type { WireRrset } from '../message.ts'
import type { ZoneNode } from '../zone-node.ts'

const { DS, NS } = recordTypes
const { NSEC, NXNAME, RRSIG } = wireTypes
const mostNameBytes = 255

/** The types that NSEC says of a name which does not exist. */
export const missingTypes: readonly number[] = [RRSIG, NSEC, NXNAME]

/** The types that a name of a signed zone has. A delegated name has only those that the parent answers for. */
export function typesAt(node: ZoneNode, isDelegated: boolean): number[] {
  const own = [...node.rrsets.keys()].filter((type) => !isDelegated || type === NS.code || type === DS.code)
  return [...own, RRSIG, NSEC]
}

/** The NSEC record of a name that says nothing of any other one. */
export function nsec(next: NameKey, types: readonly number[], ttl: number): WireRrset {
  return { type: NSEC, ttl, data: [Buffer.concat([Buffer.from(next, 'latin1'), bitmap(types)])] }
}

/** The types as a list of windows (RFC 4034, 4.1.2). */
function bitmap(types: readonly number[]): Buffer {
  const windows = [...Map.groupBy(types, (type) => type >> 8)].sort(([one], [other]) => one - other)
  return Buffer.concat(
    windows.map(([window, some]) => {
      const bits = Buffer.alloc((Math.max(...some.map((type) => type & 0xff)) >> 3) + 1)
      for (const type of some) bits[(type & 0xff) >> 3]! |= 0x80 >> (type & 7)
      return Buffer.concat([Buffer.of(window, bits.length), bits])
    }),
  )
}

/** The name right behind another one in canonical order (RFC 4471, 3.1.2). */
export function successor(name: NameKey, zone: NameKey): NameKey {
  if (name.length + 2 <= mostNameBytes) return `\x01\0${name}`
  // A name that is too long for one more label: its first label becomes the next one.
  for (let at = name; at !== zone && at !== rootName; ) {
    const size = at.charCodeAt(0)
    const [label, rest] = [at.slice(1, size + 1), at.slice(size + 1)]
    const kept = label.replace(/\xff+$/, '')
    if (kept.length > 0) return `${String.fromCharCode(kept.length)}${kept.slice(0, -1)}${byteAfter(kept)}${rest}`
    at = rest
  }
  return zone
}

/** The byte behind the last one of a label; capital letters are skipped, because names are compared in lower case. */
function byteAfter(label: string): string {
  const next = label.charCodeAt(label.length - 1) + 1
  return String.fromCharCode(next === 0x41 ? 0x5b : next)
}
