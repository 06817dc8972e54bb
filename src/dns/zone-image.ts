/**
 * A zone in memory, ready for queries: every name with its records in wire format, and the empty names between them.
 * It does no I/O.
 */
import type { NameKey } from '../protocols/net/dns/names.ts'
import { isWithin, lowerName, nameOf, parentName, parseName } from '../protocols/net/dns/names.ts'
import { parseRdata, recordTypes, typeCode } from '../protocols/net/dns/rdata.ts'
import type { OwnedRrset, WireRrset } from './message.ts'

/** An RRset as the database stores it. */
export interface TextRrset {
  readonly key: string
  readonly name: string
  readonly type: string
  readonly ttl: number | null
  readonly values: readonly string[]
}

export interface ZoneNode {
  readonly rrsets: Map<number, WireRrset>
  /** The number of names with records below this one: a name with any exists even without records of its own. */
  below: number
}

const { NS, SOA } = recordTypes
const serialOffsetFromEnd = 20

/** An empty zone, which `put` and `remove` fill. */
export class ZoneImage {
  readonly origin: NameKey
  /** TTL in seconds of RRsets without a TTL of their own. */
  readonly ttl: number
  readonly nodes = new Map<NameKey, ZoneNode>()
  /** The version of the zone that the image shows. */
  version = 0
  /** The number of records. */
  size = 0
  /** The number of delegated names: those below the origin that have NS records. */
  cuts = 0
  /** Owner and type of each RRset by its key, to find the RRsets that are to be removed. */
  readonly #places = new Map<string, { owner: NameKey; type: number }>()

  constructor(zoneName: string, ttl: number) {
    this.origin = nameOf(zoneName)
    this.ttl = ttl
    this.nodes.set(this.origin, { rrsets: new Map(), below: 0 })
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
  set({ key, name, type: typeName, ttl }: Omit<TextRrset, 'values'>, data: readonly Buffer[], serial: number): void {
    const owner = name === '@' ? this.origin : this.#ownerOf(name)
    const type = typeCode(typeName)
    if (owner === undefined || type === undefined) return
    if (type === SOA.code) for (const bytes of data) bytes.writeUInt32BE(serial, bytes.length - serialOffsetFromEnd)
    if (data.length === 0) {
      this.remove(key)
      return
    }
    const node = this.#nodeAt(owner)
    if (!node.rrsets.has(type)) this.#count(owner, node, type, 1)
    this.size += data.length - (node.rrsets.get(type)?.data.length ?? 0)
    node.rrsets.set(type, { type, ttl: ttl ?? this.ttl, data })
    this.#places.set(key, { owner, type })
  }

  /** Removes the RRset with a key, if there is one. */
  remove(key: string): void {
    const place = this.#places.get(key)
    const node = place && this.nodes.get(place.owner)
    this.#places.delete(key)
    this.size -= (place && node?.rrsets.get(place.type)?.data.length) ?? 0
    if (!place || !node?.rrsets.delete(place.type)) return
    this.#count(place.owner, node, place.type, -1)
    this.#drop(place.owner)
  }

  get soa(): WireRrset | undefined {
    return this.nodes.get(this.origin)?.rrsets.get(SOA.code)
  }

  /** Iterates over all RRsets but the SOA record. */
  *others(): Generator<OwnedRrset> {
    for (const [owner, { rrsets }] of this.nodes) {
      for (const rrset of rrsets.values()) if (rrset.type !== SOA.code) yield { owner, rrset }
    }
  }

  #ownerOf(name: string): NameKey | undefined {
    const parsed = parseName(name, this.origin)
    const owner = parsed.ok ? lowerName(parsed.wire) : undefined
    return owner !== undefined && isWithin(owner, this.origin) ? owner : undefined
  }

  #nodeAt(owner: NameKey): ZoneNode {
    const known = this.nodes.get(owner)
    if (known) return known
    const node: ZoneNode = { rrsets: new Map(), below: 0 }
    this.nodes.set(owner, node)
    return node
  }

  /** Updates the counters of a name and its ancestors; call it before an RRset is set or after it is deleted. */
  #count(owner: NameKey, node: ZoneNode, type: number, by: 1 | -1): void {
    if (type === NS.code && owner !== this.origin) this.cuts += by
    if (node.rrsets.size > 0) return
    for (let above = parentOf(owner, this.origin); above !== undefined; above = parentOf(above, this.origin)) {
      this.#nodeAt(above).below += by
    }
  }

  /** Drops a name that no longer exists, and the ancestors that existed only because of it. */
  #drop(owner: NameKey): void {
    for (let at: NameKey | undefined = owner; at !== undefined && at !== this.origin; at = parentOf(at, this.origin)) {
      const node = this.nodes.get(at)
      if (!node || node.rrsets.size > 0 || node.below > 0) return
      this.nodes.delete(at)
    }
  }
}

function parentOf(name: NameKey, origin: NameKey): NameKey | undefined {
  return name === origin ? undefined : parentName(name)
}
