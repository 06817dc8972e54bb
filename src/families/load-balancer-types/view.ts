/** Types of Load Balancers as the API shows them, with what a dated change has not yet removed. */
import type { Static } from 'typebox'
import type { LoadBalancerType } from '../../catalogue/catalogue.ts'
import { inEffect, kernelChanges } from '../../kernel/contract/changes.ts'
import { deprecationToWire, locationPriceToWire } from '../server-types/reads.ts'
import type { LoadBalancerType as Wire } from './contract.ts'

/** A type as the API shows it at `now` (ms since the epoch): with `deprecated` until that field was removed. */
export function loadBalancerTypeToWire(type: LoadBalancerType, now: number): Static<typeof Wire> {
  const { id, name, description } = type
  const deprecation = deprecationToWire(type.deprecation, now)
  return {
    id,
    name,
    description,
    max_connections: type.maxConnections,
    max_services: type.maxServices,
    max_targets: type.maxTargets,
    max_assigned_certificates: type.maxAssignedCertificates,
    prices: type.prices.map(locationPriceToWire),
    deprecation,
    ...(inEffect(kernelChanges.deprecated_field_removed, now) ? {} : { deprecated: deprecation?.announced ?? null }),
  }
}
