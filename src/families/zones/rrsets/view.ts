/** RRSets as the API shows them. */
import type { Static } from 'typebox'
import type { Zone } from '../domain.ts'
import type { Rrset as WireRrset } from './contract.ts'
import { type Rrset, rrsetKey } from './domain.ts'
import { withSerial } from './values.ts'

/** An RRSet as the API shows it. */
export function rrsetToWire(zone: Zone, rrset: Rrset): Static<typeof WireRrset> {
  const { name, type, ttl, labels, isProtected, records } = rrset
  return {
    id: rrsetKey(rrset),
    name,
    type,
    ttl,
    labels,
    protection: { change: isProtected },
    records: records.map(({ value, comment }) => ({
      value: type === 'SOA' ? withSerial(value, zone.serial) : value,
      comment,
    })),
    zone: zone.id,
  }
}
