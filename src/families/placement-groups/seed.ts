/** Placement groups in seed files. */
import type { Seed } from '../../kernel/resource/seed.ts'

export const seed: Seed = {
  entry: ({ type, labels }) => ({ type, labels }),
}
