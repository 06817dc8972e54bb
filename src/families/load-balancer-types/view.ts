/** Types of Load Balancers as the API shows them, with what a dated change has not yet removed. */
import type { Static } from 'typebox'
import type { LoadBalancerType } from '../../catalogue/catalogue.ts'
import { inEffect, kernelChanges } from '../../kernel/contract/changes.ts'
import { deprecationToWire } from '../server-types/reads.ts'
import type { LoadBalancerType as Wire } from './contract.ts'

/** A type as the API shows it at `now` (ms since the epoch): with `deprecated` until that field was removed. */
export function loadBalancerTypeToWire(type: LoadBalancerType, now: number): Static<typeof Wire> {
  const deprecation = deprecationToWire(type.deprecation, now)
  return {
    ...type,
    prices: [...type.prices],
    deprecation,
    ...(inEffect(kernelChanges.deprecated_field_removed, now) ? {} : { deprecated: deprecation?.announced ?? null }),
  }
}
