/** Names that hide those below them from queries: delegated ones, and those whose DNAME record redirects what is below. */
import { type NameKey, selfAndParents } from '../protocols/net/dns/names.ts'
import { recordTypes } from '../protocols/net/dns/rdata.ts'
import { wireTypes } from './dnssec.ts'
import type { ZoneImage } from './zone-image.ts'

const { DS, NS } = recordTypes
const { DNAME, NSEC } = wireTypes

interface Boundary {
  readonly is: 'cut' | 'redirection'
  readonly owner: NameKey
}

/**
 * The topmost delegated name at or above a name, or the topmost name above it whose DNAME record redirects it. DS and
 * NSEC records of a delegated name belong to the parent (RFC 4035, 2.6 and 3.1.4.1).
 */
export function boundaryAbove(zone: ZoneImage, name: NameKey, type: number): Boundary | undefined {
  if (zone.boundaries === 0) return undefined
  let boundary: Boundary | undefined
  for (const owner of selfAndParents(name)) {
    const rrsets = zone.nodes.get(owner)?.rrsets
    const isOurs = owner === name && (type === DS.code || (type === NSEC && rrsets?.has(NSEC)))
    if (owner !== zone.origin && rrsets?.has(NS.code) && !isOurs) boundary = { is: 'cut', owner }
    else if (owner !== name && rrsets?.has(DNAME)) boundary = { is: 'redirection', owner }
    if (owner === zone.origin) break
  }
  return boundary
}
