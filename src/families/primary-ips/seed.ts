/** Primary IPs in seed files. Servers say which they have. */
import { type Fields, protectedParts, protection, type Seed } from '../../kernel/resource/seed.ts'
import { givenNames, ownReverseNames } from '../addresses/seed.ts'

/** Tells whether somebody gave it a reverse name. */
const isNamed = ({ dns_ptr }: Fields) =>
  Object.values(givenNames(dns_ptr))
    .flat()
    .some((name) => name !== null)

/** The location, also as servers before it was there tell it. */
const placeOf = ({ location, datacenter }: Fields): string => (location ?? datacenter.location).name

export const seed: Seed = {
  without: ['assignee_id', 'assignee_type', 'datacenter'],
  parts: { ...ownReverseNames, protection },
  isImplied: (address) =>
    address.auto_delete &&
    address.assignee_id !== null &&
    address.name === `primary_ip-${address.id}` &&
    Object.keys(address.labels).length === 0 &&
    protectedParts(address.protection) === null &&
    !isNamed(address),
  entry: (address) => {
    const { type, auto_delete, labels, dns_ptr, protection } = address
    return {
      type,
      location: placeOf(address),
      auto_delete: auto_delete || null,
      labels,
      ...givenNames(dns_ptr),
      protection: protectedParts(protection),
    }
  },
  untold: ['the address itself'],
}
