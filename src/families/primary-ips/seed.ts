/** Primary IPs in seed files. Servers say which they have. */
import { type Fields, protectedParts, protection, type Seed } from '../../kernel/resource/seed.ts'
import { givenName, hasOtherNames, reverseName } from '../addresses/seed.ts'

/** The location, also as servers before it was there tell it. */
const placeOf = ({ location, datacenter }: Fields): string => (location ?? datacenter.location).name

export const seed: Seed = {
  without: ['assignee_id', 'assignee_type', 'datacenter'],
  parts: { dns_ptr: reverseName, protection },
  isImplied: (address) =>
    address.auto_delete &&
    address.assignee_id !== null &&
    address.name === `primary_ip-${address.id}` &&
    Object.keys(address.labels).length === 0 &&
    protectedParts(address.protection) === null &&
    givenName(address) === null &&
    !hasOtherNames(address),
  entry: (address, { remark }) => {
    const { type, auto_delete, labels, protection } = address
    if (hasOtherNames(address)) remark('dns_ptr: left out, because another network has other addresses')
    return {
      type,
      location: placeOf(address),
      auto_delete: auto_delete || null,
      labels,
      dns_ptr: givenName(address),
      protection: protectedParts(protection),
    }
  },
  untold: ['the address itself'],
}
