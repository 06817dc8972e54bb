/** The operations on locations, as the API has them. */
import type { locationEndpoints } from '../../../src/families/locations/contract.ts'

export type Contract = typeof locationEndpoints
