/** The price list through the API: read-only, straight from the catalogue. */
import type { Handlers } from '../../kernel/contract/contract.ts'
import type { Platform } from '../../platform.ts'
import type { pricingEndpoints } from './contract.ts'
import { pricingToWire } from './view.ts'

/** One handler for each endpoint. */
export function pricingRoutes({ catalogue, clock }: Platform): Handlers<typeof pricingEndpoints> {
  return {
    get: async () => ({ pricing: pricingToWire(catalogue, clock.now()) }),
  }
}
