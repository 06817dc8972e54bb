/** The operations on placement groups, as the API has them. */
import type { placementGroupEndpoints } from '../../../src/families/placement-groups/contract.ts'

export type Contract = typeof placementGroupEndpoints
