/** The built-in types of Load Balancers with their prices. */
import { type LoadBalancerType, type Location, regionOf } from './catalogue.ts'
import { locationPriceOf } from './pricing.ts'

type Row = readonly [
  id: number,
  name: string,
  connections: number,
  services: number,
  targets: number,
  certificates: number,
  /** Net, per month. */
  monthly: string,
  /** Included traffic in TiB. */
  inEurope: number,
  elsewhere: number,
]

const rows: readonly Row[] = [
  [1, 'lb11', 10_000, 5, 25, 10, '5.39', 20, 1],
  [2, 'lb21', 20_000, 15, 75, 25, '16.40', 30, 2],
  [3, 'lb31', 40_000, 30, 150, 50, '32.90', 40, 3],
]

/** The built-in types of Load Balancers with their prices in some locations (spec: Load Balancer type). */
export function loadBalancerTypesIn(places: readonly Location[]): readonly LoadBalancerType[] {
  const locations = places.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return rows.map(([id, name, connections, services, targets, certificates, monthly, inEurope, elsewhere]) => ({
    id,
    name,
    description: name.toUpperCase(),
    max_connections: connections,
    max_services: services,
    max_targets: targets,
    max_assigned_certificates: certificates,
    prices: locations.map((location) => {
      return locationPriceOf(location, monthly, regionOf(location) === 'eu' ? inEurope : elsewhere)
    }),
    deprecation: null,
  }))
}
