/** Volumes in seed files. */
import { protectedParts, protection, type Seed } from '../../kernel/resource/seed.ts'

export const seed: Seed = {
  parts: { protection },
  release: ({ server }) => (server === null ? [] : [{ by: 'detach' }]),
  entry: ({ size, format, server, location, labels, protection }) => ({
    size,
    format,
    ...(server === null ? { location: location.name } : { server }),
    labels,
    protection: protectedParts(protection),
  }),
}
