/**
 * Proofs of what a signed zone does not have: the NSEC records (RFC 4035, 3.1.3) or NSEC3 records (RFC 5155, 7.2) that
 * belong into an answer.
 */
import { type NameKey, parentName, wildcardBelow } from '../protocols/net/dns/names.ts'
import { canonicalKey, dataProblem, type Hashing, hashingIn, hashOf, isSameHashing, wireTypes } from './dnssec.ts'
import type { OwnedRrset } from './message.ts'
import { owned, type ZoneNames } from './zone-node.ts'

/** Finds proofs; some records may be in a proof twice. */
export interface Denial {
  /** Proves that a name has no records of the queried type, or that a delegated name is not signed. */
  noRecords(name: NameKey): OwnedRrset[]
  /** Proves that a name does not exist, and what there is or is not at the wildcard below its closest encloser. */
  noName(name: NameKey, encloser: NameKey): OwnedRrset[]
  /** Proves that a name does not exist, and that the wildcard which answers it has no records of the queried type. */
  noExpansion(name: NameKey, encloser: NameKey): OwnedRrset[]
  /** Proves that no name is nearer to the queried one than the wildcard that answers it. */
  noNearer(name: NameKey, encloser: NameKey): OwnedRrset[]
}

/** The denials of a zone; undefined for one that has none. NSEC3PARAM says that there is a whole chain of NSEC3. */
export function denialIn(zone: ZoneNames): Denial | undefined {
  const param = zone.nodes.get(zone.origin)?.rrsets.get(wireTypes.NSEC3PARAM)?.data[0]
  const hashing = param && dataProblem(wireTypes.NSEC3PARAM, param) === undefined ? hashingIn(param) : undefined
  const hashed = hashing ? hashedChain(zone, hashing) : undefined
  if (hashing && hashed?.length) return new HashedDenial(zone, hashing, hashed)
  const chain = [...zone.nodes].flatMap(([owner, node]) => {
    const one = owned(node, owner, wireTypes.NSEC)
    return one ? [{ key: canonicalKey(owner), one }] : []
  })
  return chain.length > 0 ? new PlainDenial(chain) : undefined
}

/** Records in a circle, each of which tells which one is next. */
type Chain = { readonly key: string; readonly one: OwnedRrset }[]

const sortChain = (chain: Chain) => chain.sort((a, b) => (a.key < b.key ? -1 : 1))

/** The record at a key, or the last one before it. */
function atOrBefore(chain: Chain, key: string): Chain[number] {
  let [low, high] = [0, chain.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (chain[middle]!.key <= key) low = middle + 1
    else high = middle
  }
  return chain.at(low - 1)!
}

class PlainDenial implements Denial {
  readonly #chain: Chain

  constructor(chain: Chain) {
    this.#chain = sortChain(chain)
  }

  noRecords(name: NameKey): OwnedRrset[] {
    return [atOrBefore(this.#chain, canonicalKey(name)).one]
  }

  noName(name: NameKey, encloser: NameKey): OwnedRrset[] {
    return [...this.noRecords(name), ...this.noRecords(wildcardBelow(encloser))]
  }

  noExpansion(name: NameKey, encloser: NameKey): OwnedRrset[] {
    return this.noName(name, encloser)
  }

  noNearer(name: NameKey): OwnedRrset[] {
    return this.noRecords(name)
  }
}

function hashedChain(zone: ZoneNames, hashing: Hashing): Chain {
  return [...zone.hashed].flatMap(([owner, node]) => {
    const one = owned(node, owner, wireTypes.NSEC3)
    const isInChain = one?.rrset.data.some((data) => isSameHashing(hashingIn(data), hashing))
    return one && isInChain ? [{ key: owner.slice(1, owner.charCodeAt(0) + 1), one }] : []
  })
}

class HashedDenial implements Denial {
  readonly #zone: ZoneNames
  readonly #hashing: Hashing
  readonly #chain: Chain
  /** Hashes of names in the zone. Those of others are not kept, because there is no end of them. */
  readonly #known = new Map<NameKey, string>()

  constructor(zone: ZoneNames, hashing: Hashing, chain: Chain) {
    this.#zone = zone
    this.#hashing = hashing
    this.#chain = sortChain(chain)
  }

  noRecords(name: NameKey): OwnedRrset[] {
    const own = this.#at(name)
    // With opt-out, names that lead only to delegations without signatures have no record.
    return own ? [own] : this.#enclosing(name, name).proof
  }

  noName(name: NameKey, encloser: NameKey): OwnedRrset[] {
    const { proven, proof } = this.#enclosing(name, encloser)
    return [...proof, this.#atOrBefore(wildcardBelow(proven))]
  }

  noExpansion(name: NameKey, encloser: NameKey): OwnedRrset[] {
    return this.noName(name, encloser)
  }

  noNearer(name: NameKey, encloser: NameKey): OwnedRrset[] {
    return [this.#atOrBefore(childTowards(name, encloser))]
  }

  /**
   * Proves that the closest encloser exists, as far as a record says so, and that the name below it does not (RFC 5155,
   * 7.2.1). Begins at a name that does exist.
   */
  #enclosing(name: NameKey, from: NameKey): { readonly proven: NameKey; readonly proof: OwnedRrset[] } {
    let proven = from
    while (proven === name || !this.#at(proven)) {
      if (proven === this.#zone.origin) return { proven, proof: [] }
      proven = parentName(proven)!
    }
    return { proven, proof: [this.#at(proven)!, this.#atOrBefore(childTowards(name, proven))] }
  }

  #at(name: NameKey): OwnedRrset | undefined {
    const key = this.#hash(name)
    const found = atOrBefore(this.#chain, key)
    return found.key === key ? found.one : undefined
  }

  #atOrBefore(name: NameKey): OwnedRrset {
    return atOrBefore(this.#chain, this.#hash(name)).one
  }

  #hash(name: NameKey): string {
    const known = this.#known.get(name) ?? hashOf(name, this.#hashing)
    if (this.#zone.nodes.has(name)) this.#known.set(name, known)
    return known
  }
}

/** The name below `ancestor` that is a name or above it. */
function childTowards(name: NameKey, ancestor: NameKey): NameKey {
  let at = name
  for (let above = parentName(at); above !== undefined && above !== ancestor; above = parentName(at)) at = above
  return at
}
