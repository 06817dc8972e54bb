/** A zone that Wolke signs: adds to answers what proves them, and has the records of its keys. */
import { dsData, withdrawal } from '../../protocols/net/dns/dnskeys.ts'
import { type NameKey, wildcardBelow } from '../../protocols/net/dns/names.ts'
import { recordTypes } from '../../protocols/net/dns/rdata.ts'
import type { Denial } from '../denial.ts'
import { wireTypes } from '../dnssec.ts'
import type { Answer, Lasting, OwnedRrset, WireRrset } from '../message.ts'
import type { ZoneNames, ZoneNode } from '../zone-node.ts'
import type { Allowance } from './allowance.ts'
import { missingTypes, nsec, successor, typesAt } from './compact.ts'
import { type MadeSignatures, type SigningKey, signRrset } from './signatures.ts'

const { NS, SOA } = recordTypes
const { CDNSKEY, CDS, DNSKEY, RRSIG } = wireTypes

/** The TTL of the records of keys, in seconds. */
export const keyTtl = 3_600
/** Types that every key of a zone signs: a parent or validator may know each of the keys (RFC 7344, 4.1). */
const signedByAll = new Set<number>([DNSKEY, CDS, CDNSKEY])

/** The keys of a zone. */
export interface ZoneKeys {
  /** All that are in the DNSKEY records. */
  readonly all: readonly SigningKey[]
  /** The one that signs what is in the zone. */
  readonly signing: SigningKey
  /** The one that the parent is to lead to, `none` for no more signed zone; undefined where it is told nothing yet. */
  readonly announced: SigningKey | 'none' | undefined
}

export class ZoneSigner {
  readonly #zone: ZoneNames
  readonly keys: ZoneKeys
  readonly #nowMs: () => number
  /** Signatures of what the zone has, by the data that they cover: another version of an RRset has other data. */
  readonly #made = new WeakMap<readonly Buffer[], MadeSignatures>()
  readonly #nsecs = new WeakMap<ZoneNode, { readonly types: string; readonly rrset: WireRrset }>()
  readonly denial: Denial

  constructor(zone: ZoneNames, keys: ZoneKeys, nowMs: () => number) {
    this.#zone = zone
    this.keys = keys
    this.#nowMs = nowMs
    this.denial = {
      noRecords: (name) => [this.#nsecOf(name, this.#zone.nodes.get(name))],
      noName: (name) => [this.#nsecOf(name, undefined)],
      noExpansion: (name, encloser) => [this.#nsecOf(name, this.#zone.nodes.get(wildcardBelow(encloser)))],
      // What a wildcard answers is signed as if the name had it (RFC 9824, 3.3), so that nothing is to be denied.
      noNearer: () => [],
    }
  }

  /** The records of its keys, which are in the zone. */
  keyRrsets(): WireRrset[] {
    const { all, announced } = this.keys
    const dnskeys = { type: DNSKEY, ttl: keyTtl, data: all.map(({ dnskey }) => dnskey) }
    if (announced === undefined) return [dnskeys]
    const told =
      announced === 'none'
        ? withdrawal
        : { cds: dsData(this.#zone.origin, announced.dnskey), cdnskey: announced.dnskey }
    return [dnskeys, { type: CDS, ttl: keyTtl, data: [told.cds] }, { type: CDNSKEY, ttl: keyTtl, data: [told.cdnskey] }]
  }

  /** The answer with signatures. Errors: `SignaturesSpent` for names that the zone does not have. */
  signed<Found extends Answer>(found: Found, allowance: Allowance | undefined): Found {
    const made: MadeSignatures[] = []
    const sign = (one: OwnedRrset): OwnedRrset => {
      const isUnsigned = one.rrset.type === RRSIG || (one.rrset.type === NS.code && one.owner !== this.#zone.origin)
      if (isUnsigned) return one
      const signatures = this.#signaturesOf(one, allowance)
      made.push(signatures)
      return { ...one, signatures: { ...signatures.rrset, ttl: one.rrset.ttl } }
    }
    const [answer, authority] = [found.answer.map(sign), found.authority.map(sign)]
    // What a referral brings along belongs to the delegated zone.
    const additional = found.isAuthoritative ? found.additional.map(sign) : found.additional
    return { ...found, answer, authority, additional, lasting: lastingOf(made) }
  }

  /** The signatures of an RRset. */
  signaturesOf(one: OwnedRrset): WireRrset {
    return this.#signaturesOf(one, undefined).rrset
  }

  /** The signatures of an RRset of the zone, or of one that is made for a name that it does not have. */
  #signaturesOf({ owner, rrset }: OwnedRrset, allowance: Allowance | undefined): MadeSignatures {
    const node = this.#zone.nodes.get(owner)
    const nsecOfNode = node && this.#nsecs.get(node)?.rrset
    const own = nsecOfNode === rrset ? rrset : node?.rrsets.get(rrset.type)
    if (own?.data !== rrset.data) {
      allowance?.take()
      return this.#sign(owner, rrset)
    }
    const known = this.#made.get(own.data)
    const now = this.#nowMs()
    if (known && known.madeMs <= now && now < known.untilMs) return known
    const made = this.#sign(owner, own)
    this.#made.set(own.data, made)
    return made
  }

  #sign(owner: NameKey, rrset: WireRrset): MadeSignatures {
    const { all, signing } = this.keys
    const keys = signedByAll.has(rrset.type) ? all : [signing]
    return signRrset({ zone: this.#zone.origin, keys, nowMs: this.#nowMs() }, owner, rrset)
  }

  /** The NSEC record of a name that has the types of a node, or of one that does not exist. */
  #nsecOf(name: NameKey, node: ZoneNode | undefined): OwnedRrset {
    const isOwn = node !== undefined && this.#zone.nodes.get(name) === node
    const isDelegated = isOwn && name !== this.#zone.origin && node.rrsets.has(NS.code)
    const types = node ? typesAt(node, isDelegated) : missingTypes
    const ttl = this.negativeTtl()
    const text = `${ttl} ${types.join(' ')}`
    const known = isOwn ? this.#nsecs.get(node) : undefined
    if (known?.types === text) return { owner: name, rrset: known.rrset }
    const rrset = nsec(successor(name, this.#zone.origin), types, ttl)
    if (isOwn) this.#nsecs.set(node, { types: text, rrset })
    return { owner: name, rrset }
  }

  /** How long what the zone lacks may be remembered (RFC 9077), in seconds. */
  negativeTtl(): number {
    const soa = this.#zone.nodes.get(this.#zone.origin)?.rrsets.get(SOA.code)
    const data = soa?.data[0]
    return soa && data ? Math.min(soa.ttl, data.readUInt32BE(data.length - 4)) : 0
  }
}

function lastingOf(made: readonly MadeSignatures[]): Lasting | undefined {
  if (made.length === 0) return undefined
  return {
    fromMs: Math.max(...made.map(({ madeMs }) => madeMs)),
    untilMs: Math.min(...made.map(({ untilMs }) => untilMs)),
  }
}
