/** The operations on datacenters, as the API has them. */
import type { datacenterEndpoints } from '../../../src/families/datacenters/contract.ts'

export type Contract = typeof datacenterEndpoints
