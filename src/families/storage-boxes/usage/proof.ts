/** A request for each endpoint about usage that has to say something. */
import type { usageEndpoints } from './contract.ts'

/** Queries by endpoint. */
export const queries = {
  getUsage: { start: '2026-11-20T00:00:00Z', end: '2026-11-21T00:00:00Z' },
} satisfies Partial<Record<keyof typeof usageEndpoints, object>>
