/** The additional section: addresses of names in answers, which clients would ask for next (RFC 1034, 4.3.2; RFC 9460, 4.1). */
import { isWithin, lowerName, type NameKey, rootName } from '../protocols/net/dns/names.ts'
import { firstNameIn, recordTypes, typeName } from '../protocols/net/dns/rdata.ts'
import { boundaryAbove } from './boundaries.ts'
import type { OwnedRrset } from './message.ts'
import type { ZoneImage } from './zone-image.ts'
import { owned } from './zone-node.ts'

const { A, AAAA, HTTPS, MX, NS, SRV, SVCB } = recordTypes
const addressTypes = [A.code, AAAA.code]
/** Record types with a name whose addresses are of use, and the types that clients ask that name for. */
const followed = new Map<number, readonly number[]>([
  ...[NS, MX, SRV].map(({ code }) => [code, addressTypes] as const),
  ...[HTTPS, SVCB].map(({ code }) => [code, [...addressTypes, code]] as const),
])

/** The records in the zone of the names that an RRset leads to. */
export function addressesFor(zone: ZoneImage, { owner, rrset }: OwnedRrset): OwnedRrset[] {
  const types = followed.get(rrset.type)
  if (!types) return []
  const targets = targetsOf(owner, rrset)
  const reached = targets.filter((name) => isWithin(name, zone.origin) && !boundaryAbove(zone, name, A.code))
  return reached.flatMap((name) => recordsAt(zone, name, types)).filter((one) => !isSame(one, owner, rrset.type))
}

const isSame = (one: OwnedRrset, owner: NameKey, type: number) => one.owner === owner && one.rrset.type === type

/** Glue: the addresses of the name servers of a delegated name, even where they lie below it. */
export function glueFor(zone: ZoneImage, { owner, rrset }: OwnedRrset): OwnedRrset[] {
  const targets = targetsOf(owner, rrset).filter((name) => isWithin(name, zone.origin))
  return targets.flatMap((name) => recordsAt(zone, name, addressTypes))
}

/** The names in an RRset. A service whose target is the root is at its own name (RFC 9460, 2.5.2). */
function targetsOf(owner: NameKey, { type, data }: OwnedRrset['rrset']): NameKey[] {
  const isService = type === HTTPS.code || type === SVCB.code
  const targets = data.map((bytes) => {
    const target = lowerName(firstNameIn(typeName(type), bytes))
    return isService && target === rootName && bytes.readUInt16BE(0) > 0 ? owner : target
  })
  return [...new Set(targets)]
}

function recordsAt(zone: ZoneImage, name: NameKey, types: readonly number[]): OwnedRrset[] {
  const node = zone.nodes.get(name)
  return types.flatMap((type) => (node && owned(node, name, type)) ?? [])
}
