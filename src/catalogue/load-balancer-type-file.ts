/** The types of Load Balancers in a catalogue file, in the shape of the API (spec: Load Balancer type). */
import { type Static, Type } from 'typebox'
import type { LoadBalancerType } from './catalogue.ts'
import {
  checkUnique,
  DeprecationEntry,
  formatDeprecation,
  Id,
  Name,
  nullable,
  parseDeprecation,
  Size,
} from './file-entries.ts'
import { checkEachPriced, formatPrice, LocationPriceEntry, parsePrice } from './price-file.ts'

export const LoadBalancerTypeEntry = Type.Object({
  id: Id,
  name: Name,
  description: Type.String(),
  max_connections: Size,
  max_services: Size,
  max_targets: Size,
  max_assigned_certificates: Size,
  prices: Type.Array(LocationPriceEntry),
  deprecation: nullable(DeprecationEntry),
})

type Entry = Static<typeof LoadBalancerTypeEntry>

/** Ids and names are unique, and every type has a price in each location. */
export function checkLoadBalancerTypes(types: readonly Entry[], names: ReadonlySet<string>): void {
  checkUnique(types, 'load_balancer_types', 'id', (type) => type.id)
  checkUnique(types, 'load_balancer_types', 'name', (type) => type.name)
  for (const [index, { prices }] of types.entries()) {
    checkEachPriced(prices, `load_balancer_types[${index}].prices`, names, 'there is no location')
  }
}

/** A type of a file that was checked. */
export function parseLoadBalancerType(entry: Entry): LoadBalancerType {
  const { id, name, description, prices, deprecation } = entry
  return {
    id,
    name,
    description,
    maxConnections: entry.max_connections,
    maxServices: entry.max_services,
    maxTargets: entry.max_targets,
    maxAssignedCertificates: entry.max_assigned_certificates,
    prices: prices.map(parsePrice),
    deprecation: parseDeprecation(deprecation),
  }
}

/** The inverse of `parseLoadBalancerType`. */
export function formatLoadBalancerType(type: LoadBalancerType): Entry {
  const { id, name, description, prices, deprecation } = type
  return {
    id,
    name,
    description,
    max_connections: type.maxConnections,
    max_services: type.maxServices,
    max_targets: type.maxTargets,
    max_assigned_certificates: type.maxAssignedCertificates,
    prices: prices.map(formatPrice),
    deprecation: formatDeprecation(deprecation),
  }
}
