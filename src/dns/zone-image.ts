/**
 * A zone in memory, ready for queries: every name with its records in wire format, and the empty names between them.
 * It does no I/O.
 */
import type { NameKey } from '../protocols/net/dns/names.ts'
import { isWithin, lowerName, nameOf, parentName, parseName } from '../protocols/net/dns/names.ts'
import { parseRdata, recordTypes, typeCode, typeName } from '../protocols/net/dns/rdata.ts'
import { type Denial, denialIn } from './denial.ts'
import { coveredType, plainType, wireTypes } from './dnssec.ts'
import { Journal } from './journal.ts'
import { type OwnedRrset, recordsOf, type WireRrset } from './message.ts'
import { type ZoneKeys, ZoneSigner } from './signing/zone-signer.ts'
import { isBare, newNode, type ZoneNames, type ZoneNode } from './zone-node.ts'

/** An RRset as the database stores it. */
export interface TextRrset {
  readonly key: string
  readonly name: string
  readonly type: string
  readonly ttl: number | null
  readonly values: readonly string[]
}

const { NS, SOA } = recordTypes
const { DNAME, NSEC3, RRSIG } = wireTypes
const serialOffsetFromEnd = 20
/** Types that a zone has for its keys. */
const keyTypes = [wireTypes.DNSKEY, wireTypes.CDS, wireTypes.CDNSKEY]
const keyOfType = (type: number) => `@/${typeName(type)}`

/** Where an RRset is in an image. */
interface Place {
  readonly owner: NameKey
  readonly type: number
  /** The type that RRSIG records cover. */
  readonly covered: number | undefined
}

/** An empty zone, which `put` and `remove` fill. */
export class ZoneImage implements ZoneNames {
  readonly origin: NameKey
  /** TTL in seconds of RRsets without a TTL of their own. */
  readonly ttl: number
  readonly nodes = new Map<NameKey, ZoneNode>()
  /** NSEC3 records and their signatures, apart from the names of the zone: no query finds them (RFC 5155, 7.2.8). */
  readonly hashed = new Map<NameKey, ZoneNode>()
  /** The version of the zone that the image shows. */
  version = 0
  /** The number of records. */
  size = 0
  /** How it came to be what it is, from the moment it was read as a whole. */
  readonly journal = new Journal()
  /** The number of names that hide those below them: delegated names, and names with DNAME records. */
  boundaries = 0
  /** Signs what is in it; undefined for a zone that Wolke does not sign. */
  signer: ZoneSigner | undefined
  /** The places of each RRset by its key, to find the RRsets that are to be removed. */
  readonly #places = new Map<string, readonly Place[]>()
  #denial: { readonly found: Denial | undefined } | undefined

  constructor(zoneName: string, ttl: number) {
    this.origin = nameOf(zoneName)
    this.ttl = ttl
    this.nodes.set(this.origin, newNode())
  }

  /** Adds an RRset or replaces the one with the same key. */
  put(rrset: TextRrset, serial: number): void {
    this.set(
      rrset,
      rrset.values.flatMap((value) => this.read(rrset.type, value)),
      serial,
    )
  }

  /** The data of a record; empty for a value that is invalid for its type. */
  read(type: string, value: string): readonly Buffer[] {
    const read = parseRdata(type, value, this.origin)
    return read.ok ? [read.bytes] : []
  }

  /** Like `put`, with values that were parsed before. */
  set({ key, name, type: typeText, ttl }: Omit<TextRrset, 'values'>, data: readonly Buffer[], serial: number): void {
    const owner = name === '@' ? this.origin : this.#ownerOf(name)
    const type = typeCode(plainType(typeText))
    if (owner === undefined || type === undefined) return
    if (type === SOA.code) for (const bytes of data) bytes.writeUInt32BE(serial, bytes.length - serialOffsetFromEnd)
    if (data.length === 0) {
      this.remove(key)
      return
    }
    const groups = type === RRSIG ? [...Map.groupBy(data, coveredType)] : [[undefined, data] as const]
    const places = groups.map(([covered, some]) => {
      const place = { owner, type, covered }
      this.#setAt(place, { type, ttl: ttl ?? this.ttl, data: some })
      return place
    })
    this.#places.set(key, places)
  }

  /** Removes the RRset with a key, if there is one. */
  remove(key: string): void {
    for (const place of this.#places.get(key) ?? []) this.#removeAt(place)
    this.#places.delete(key)
  }

  /** Signs it with these keys from now on, which are in it, or no longer. */
  signWith(keys: ZoneKeys | undefined, nowMs: () => number): void {
    if (this.signer?.keys === keys) return
    // A zone that primaries have signed keeps the keys that they sent.
    if (this.signer) for (const type of keyTypes) this.remove(keyOfType(type))
    this.signer = keys && new ZoneSigner(this, keys, nowMs)
    for (const { type, ttl, data } of this.signer?.keyRrsets() ?? []) {
      this.set({ key: keyOfType(type), name: '@', type: typeName(type), ttl }, data, 0)
    }
  }

  /** The records of the RRset with a key, with their owner. */
  recordsAt(key: string): Buffer[] {
    return (this.#places.get(key) ?? []).flatMap((place) => {
      const node = this.#tableOf(place).get(place.owner)
      const [some, type] = node ? this.#slotOf(node, place) : []
      const rrset = type === undefined ? undefined : some?.get(type)
      return rrset ? recordsOf({ owner: place.owner, rrset }) : []
    })
  }

  #setAt(place: Place, rrset: WireRrset): void {
    const { owner } = place
    const table = this.#tableOf(place)
    const node = this.#nodeAt(table, owner)
    if (isBare(node) && table === this.nodes) this.#countBelow(owner, 1)
    if (place.covered !== undefined) node.signatures ??= new Map()
    const [some, type] = this.#slotOf(node, place)
    const known = some?.get(type)
    if (!known) this.boundaries += this.#isBoundary(place) ? 1 : 0
    this.size += rrset.data.length - (known?.data.length ?? 0)
    some?.set(type, rrset)
    this.#denial = undefined
  }

  #removeAt(place: Place): void {
    const { owner } = place
    const table = this.#tableOf(place)
    const node = table.get(owner)
    const [some, type] = node ? this.#slotOf(node, place) : []
    const known = type === undefined ? undefined : some?.get(type)
    if (!node || !known) return
    some!.delete(type!)
    this.size -= known.data.length
    this.boundaries -= this.#isBoundary(place) ? 1 : 0
    this.#denial = undefined
    if (!isBare(node)) return
    if (table === this.nodes) this.#countBelow(owner, -1)
    this.#drop(table, owner)
  }

  #tableOf({ type, covered }: Place) {
    return type === NSEC3 || covered === NSEC3 ? this.hashed : this.nodes
  }

  #slotOf(node: ZoneNode, { type, covered }: Place) {
    return covered === undefined ? ([node.rrsets, type] as const) : ([node.signatures, covered] as const)
  }

  #isBoundary({ owner, type }: Place): boolean {
    return type === DNAME || (type === NS.code && owner !== this.origin)
  }

  /** The proofs of what the zone does not have; undefined when it is not signed. */
  get denial(): Denial | undefined {
    if (this.signer) return this.signer.denial
    this.#denial ??= { found: denialIn(this) }
    return this.#denial.found
  }

  get soa(): WireRrset | undefined {
    return this.nodes.get(this.origin)?.rrsets.get(SOA.code)
  }

  /** The serial of the SOA record; undefined without one. */
  get serial(): number | undefined {
    const [data] = this.soa?.data ?? []
    return data?.readUInt32BE(data.length - serialOffsetFromEnd)
  }

  /** Iterates over all RRsets but the SOA record. */
  *others(): Generator<OwnedRrset> {
    for (const table of [this.nodes, this.hashed]) {
      for (const [owner, { rrsets, signatures }] of table) {
        for (const rrset of rrsets.values()) if (rrset.type !== SOA.code) yield { owner, rrset }
        for (const rrset of signatures?.values() ?? []) yield { owner, rrset }
      }
    }
  }

  #ownerOf(name: string): NameKey | undefined {
    const parsed = parseName(name, this.origin)
    const owner = parsed.ok ? lowerName(parsed.wire) : undefined
    return owner !== undefined && isWithin(owner, this.origin) ? owner : undefined
  }

  #nodeAt(table: Map<NameKey, ZoneNode>, owner: NameKey): ZoneNode {
    const known = table.get(owner)
    if (known) return known
    const node = newNode()
    table.set(owner, node)
    return node
  }

  /** Updates the counters of the ancestors of a name that gets its first records or has lost its last ones. */
  #countBelow(owner: NameKey, by: 1 | -1): void {
    for (let above = parentOf(owner, this.origin); above !== undefined; above = parentOf(above, this.origin)) {
      this.#nodeAt(this.nodes, above).below += by
    }
  }

  /** Drops a name that no longer exists, and the ancestors that existed only because of it. */
  #drop(table: Map<NameKey, ZoneNode>, owner: NameKey): void {
    for (let at: NameKey | undefined = owner; at !== undefined && at !== this.origin; at = parentOf(at, this.origin)) {
      const node = table.get(at)
      if (!node || !isBare(node) || node.below > 0) return
      table.delete(at)
    }
  }
}

function parentOf(name: NameKey, origin: NameKey): NameKey | undefined {
  return name === origin ? undefined : parentName(name)
}
