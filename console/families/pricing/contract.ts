/** The operations on prices, as the API has them. */
import type { pricingEndpoints } from '../../../src/families/pricing/contract.ts'

export type Contract = typeof pricingEndpoints
