/** Floating IPs in seed files. */
import { protectedParts, protection, type Seed } from '../../kernel/resource/seed.ts'
import { givenName, hasOtherNames, reverseName } from '../addresses/seed.ts'

export const seed: Seed = {
  parts: { dns_ptr: reverseName, protection },
  release: ({ server }) => (server === null ? [] : [{ by: 'unassign' }]),
  entry: (address, { remark }) => {
    const { type, home_location, server, description, labels, protection } = address
    if (hasOtherNames(address)) remark('dns_ptr: left out, because another network has other addresses')
    return {
      type,
      ...(server === null ? { home_location: home_location.name } : { server }),
      description,
      labels,
      dns_ptr: givenName(address),
      protection: protectedParts(protection),
    }
  },
  untold: ['the address itself'],
}
