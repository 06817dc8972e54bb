/** SSH keys in seed files. */
import type { Seed } from '../../kernel/resource/seed.ts'

export const seed: Seed = {
  entry: ({ public_key, labels }) => ({ public_key, labels }),
}
