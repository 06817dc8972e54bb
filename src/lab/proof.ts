/** A request for each endpoint of the lab. */
import type { labEndpoints } from './contract.ts'

/** Bodies by endpoint. */
export const bodies = {
  setClock: () => ({ mode: 'running' }),
  advanceClock: () => ({ by: '1s' }),
  startRun: () => ({ name: 'one' }),
  importSnapshot: () => ({ file: 'AAAA' }),
  createFork: () => ({ ttl: '1m' }),
} satisfies Partial<Record<keyof typeof labEndpoints, () => unknown>>
