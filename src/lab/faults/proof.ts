/** A request for each endpoint of faults. */
import type { faultEndpoints } from './contract.ts'

let made = 0

/** Bodies by endpoint. */
export const bodies = {
  createFault: () => ({ name: `sample-${++made}`, when: { share: 0 }, fault: { error: { code: 'conflict' } } }),
  setScenario: () => ({ faults: [] }),
} satisfies Partial<Record<keyof typeof faultEndpoints, () => unknown>>
