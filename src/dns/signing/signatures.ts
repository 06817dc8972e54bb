/** RRSIG records (RFC 4034, 3): made when they are asked for, and kept for as long as they and what they cover are valid. */
import { type KeyObject, sign } from 'node:crypto'
import { algorithm } from '../../protocols/net/dns/dnskeys.ts'
import { type NameKey, selfAndParents } from '../../protocols/net/dns/names.ts'
import { recordTypes, sameness, typeName } from '../../protocols/net/dns/rdata.ts'
import { wireTypes } from '../dnssec.ts'
import type { WireRrset } from '../message.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000

/**
 * How long a signature is valid, and how long it is used at most. What is left of it then is for copies of the zone. Each is
 * valid from an hour ago, for validators whose clocks are late, and ends up to a day earlier than others, so that they are not
 * all renewed in one moment.
 */
export const signatureTimes = { validMs: 14 * dayMs, jitterMs: dayMs, usedMs: 5 * dayMs, earlierMs: hourMs } as const

/** A key that signs. */
export interface SigningKey {
  readonly tag: number
  readonly key: KeyObject
  readonly dnskey: Buffer
}

/** Signatures of an RRset, and when they have to be renewed, in the clock's milliseconds. */
export interface MadeSignatures {
  readonly rrset: WireRrset
  readonly madeMs: number
  readonly untilMs: number
}

/** Types whose data has names that are signed in lower case (RFC 4034, 6.2; RFC 6840, 5.1). */
const { CNAME, MX, NS, PTR, RP, SOA, SRV } = recordTypes
const lowered = new Set<number>([CNAME, MX, NS, PTR, RP, SOA, SRV].map(({ code }) => code))

/** Signs an RRset with some keys of a zone. */
export function signRrset(
  { zone, keys, nowMs }: { readonly zone: NameKey; readonly keys: readonly SigningKey[]; readonly nowMs: number },
  owner: NameKey,
  rrset: WireRrset,
): MadeSignatures {
  const { validMs, jitterMs, usedMs, earlierMs } = signatureTimes
  const expiresMs = nowMs + validMs - Math.random() * jitterMs
  const records = canonicalRecords(owner, rrset)
  const data = keys.map(({ tag, key }) => {
    const head = headOf({ owner, rrset, tag, expiresMs, sinceMs: nowMs - earlierMs, zone })
    const signed = Buffer.concat([head, ...records])
    return Buffer.concat([head, sign('sha256', signed, { key, dsaEncoding: 'ieee-p1363' })])
  })
  const untilMs = nowMs + usedMs - Math.random() * jitterMs
  return { rrset: { type: wireTypes.RRSIG, ttl: rrset.ttl, data }, madeMs: nowMs, untilMs }
}

interface Head {
  readonly owner: NameKey
  readonly rrset: WireRrset
  readonly tag: number
  readonly sinceMs: number
  readonly expiresMs: number
  readonly zone: NameKey
}

/** The data of a RRSIG record up to its signature. */
function headOf({ owner, rrset, tag, sinceMs, expiresMs, zone }: Head): Buffer {
  const head = Buffer.alloc(18)
  head.writeUInt16BE(rrset.type, 0)
  head[2] = algorithm
  head[3] = labelsOf(owner)
  head.writeUInt32BE(rrset.ttl, 4)
  head.writeUInt32BE(secondsOf(expiresMs), 8)
  head.writeUInt32BE(secondsOf(sinceMs), 12)
  head.writeUInt16BE(tag, 16)
  return Buffer.concat([head, Buffer.from(zone, 'latin1')])
}

/** Seconds as serial numbers, which wrap around (RFC 4034, 3.1.5). */
const secondsOf = (ms: number) => Math.floor(ms / 1_000) >>> 0

/** The number of labels without the root and without a wildcard. */
function labelsOf(owner: NameKey): number {
  const count = [...selfAndParents(owner)].length
  return owner.startsWith('\x01*') ? count - 1 : count
}

/** The records in canonical form and order (RFC 4034, 6.2 and 6.3). */
function canonicalRecords(owner: NameKey, { type, ttl, data }: WireRrset): Buffer[] {
  const texts = data.map((bytes) => (lowered.has(type) ? sameness(typeName(type), bytes) : bytes.toString('latin1')))
  const head = Buffer.alloc(owner.length + 8)
  head.write(owner, 'latin1')
  head.writeUInt16BE(type, owner.length)
  head.writeUInt16BE(1, owner.length + 2)
  head.writeUInt32BE(ttl, owner.length + 4)
  // Texts of one character for each byte sort as the bytes do.
  return [...new Set(texts)].sort().map((text) => {
    const record = Buffer.alloc(head.length + 2 + text.length)
    head.copy(record)
    record.writeUInt16BE(text.length, head.length)
    record.write(text, head.length + 2, 'latin1')
    return record
  })
}
