/** What a zone in memory has at one name. */
import type { NameKey } from '../protocols/net/dns/names.ts'
import type { OwnedRrset, WireRrset } from './message.ts'

export interface ZoneNode {
  readonly rrsets: Map<number, WireRrset>
  /** RRSIG records by the type that they cover; undefined for a name without any. */
  signatures: Map<number, WireRrset> | undefined
  /** The number of names with records below this one: a name with any exists even without records of its own. */
  below: number
}

/** The names of a zone, and apart from them those that NSEC3 records have. */
export interface ZoneNames {
  readonly origin: NameKey
  readonly nodes: ReadonlyMap<NameKey, ZoneNode>
  readonly hashed: ReadonlyMap<NameKey, ZoneNode>
}

export const newNode = (): ZoneNode => ({ rrsets: new Map(), signatures: undefined, below: 0 })

/** Tells whether a name has no records of its own. */
export const isBare = ({ rrsets, signatures }: ZoneNode): boolean => rrsets.size === 0 && !signatures?.size

/** The RRset of a type at a name, with the signatures that cover it; undefined when there is none. */
export function owned(node: ZoneNode, owner: NameKey, type: number): OwnedRrset | undefined {
  const rrset = node.rrsets.get(type)
  return rrset && { owner, rrset, signatures: node.signatures?.get(type) }
}
