/** A request for each endpoint of seeds that has a body. */
import { unique } from '../../../test/kit/proof.ts'
import type { seedEndpoints } from './contract.ts'

/** Bodies by endpoint. */
export const bodies = {
  seed: () => ({ projects: [{ name: unique('seeded') }] }),
} satisfies Partial<Record<keyof typeof seedEndpoints, () => unknown>>
