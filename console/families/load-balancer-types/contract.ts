/** The operations on Load Balancer types, as the API has them. */
import type { loadBalancerTypeEndpoints } from '../../../src/families/load-balancer-types/contract.ts'

export type Contract = typeof loadBalancerTypeEndpoints
