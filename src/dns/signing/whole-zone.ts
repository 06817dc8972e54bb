/**
 * A signed zone as a whole, for copies of it. Those cannot sign what they are asked for, so that NSEC records say in a circle which
 * name comes next (RFC 4034, 4).
 */
import { type NameKey, selfAndParents } from '../../protocols/net/dns/names.ts'
import { recordTypes } from '../../protocols/net/dns/rdata.ts'
import { canonicalKey } from '../dnssec.ts'
import type { OwnedRrset, WireRrset } from '../message.ts'
import type { ZoneImage } from '../zone-image.ts'
import type { ZoneNode } from '../zone-node.ts'
import { nsec, typesAt } from './compact.ts'
import type { ZoneSigner } from './zone-signer.ts'

const { DS, NS, SOA } = recordTypes

/** A name of the zone at the moment at which the transfer began. */
interface Owner {
  readonly name: NameKey
  readonly rrsets: readonly WireRrset[]
  readonly types: readonly number[]
  readonly isDelegated: boolean
}

/** All RRsets but the SOA record, and all signatures. They are made one after the other, as they are taken. */
export function wholeSigned(image: ZoneImage, signer: ZoneSigner): Iterable<OwnedRrset> {
  const occluded: OwnedRrset[] = []
  const owners: Owner[] = []
  for (const [name, node] of image.nodes) {
    if (node.rrsets.size === 0) continue
    if (isBelowCut(image, name)) occluded.push(...[...node.rrsets.values()].map((rrset) => ({ owner: name, rrset })))
    else owners.push(ownerOf(image, name, node))
  }
  const sorted = owners
    .map((owner) => ({ owner, key: canonicalKey(owner.name) }))
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ owner }) => owner)
  return (function* () {
    yield* occluded
    for (const [index, owner] of sorted.entries())
      yield* signedAt(signer, owner, sorted[(index + 1) % sorted.length]!.name)
  })()
}

function ownerOf(image: ZoneImage, name: NameKey, node: ZoneNode): Owner {
  const isDelegated = name !== image.origin && node.rrsets.has(NS.code)
  return { name, rrsets: [...node.rrsets.values()], types: typesAt(node, isDelegated), isDelegated }
}

function* signedAt(
  signer: ZoneSigner,
  { name, rrsets, types, isDelegated }: Owner,
  next: NameKey,
): Generator<OwnedRrset> {
  for (const rrset of rrsets) {
    if (rrset.type !== SOA.code) yield { owner: name, rrset }
    if (!isDelegated || rrset.type === DS.code)
      yield { owner: name, rrset: signer.signaturesOf({ owner: name, rrset }) }
  }
  const rrset = nsec(next, types, signer.negativeTtl())
  yield { owner: name, rrset }
  yield { owner: name, rrset: signer.signaturesOf({ owner: name, rrset }) }
}

/** Tells whether a name is below a delegated one, so that it is not of this zone but for the sake of its address. */
function isBelowCut(image: ZoneImage, name: NameKey): boolean {
  if (image.boundaries === 0 || name === image.origin) return false
  for (const above of selfAndParents(name)) {
    if (above === image.origin) return false
    if (above !== name && image.nodes.get(above)?.rrsets.has(NS.code)) return true
  }
  return false
}
