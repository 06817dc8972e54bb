/** Floating IPs in seed files. */
import { protectedParts, protection, type Seed } from '../../kernel/resource/seed.ts'
import { givenNames, ownReverseNames } from '../addresses/seed.ts'

export const seed: Seed = {
  parts: { ...ownReverseNames, protection },
  release: ({ server }) => (server === null ? [] : [{ by: 'unassign' }]),
  entry: ({ type, home_location, server, description, labels, dns_ptr, protection }) => ({
    type,
    ...(server === null ? { home_location: home_location.name } : { server }),
    description,
    labels,
    ...givenNames(dns_ptr),
    protection: protectedParts(protection),
  }),
  untold: ['the address itself'],
}
