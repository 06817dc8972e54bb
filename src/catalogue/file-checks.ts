/** A catalogue file has to agree with itself: ids and names are unique, and prices are of places that there are. */
import { parseCidr } from '../protocols/net/ip.ts'
import type { ExternalRange, LoadBalancerType, Location, Pricing, ServerType, StorageBoxType } from './catalogue.ts'

/** Refuses the file; the path names the entry. */
export function fail(path: string, problem: string): never {
  throw new Error(`catalogue: ${path === '' ? '' : `${path}: `}${problem}`)
}

/** Throws when two items have the same `key`; the message names `field`. */
export function checkUnique<T>(
  items: readonly T[],
  list: string,
  field: string,
  key: (item: T) => string | number,
): void {
  const firstIndex = new Map<string | number, number>()
  for (const [index, item] of items.entries()) {
    const first = firstIndex.get(key(item))
    if (first !== undefined) {
      fail(`${list}[${index}].${field}`, `${JSON.stringify(key(item))} is already used by ${list}[${first}]`)
    }
    firstIndex.set(key(item), index)
  }
}

/** Ids and names are unique. */
export function checkNamed(items: readonly { readonly id: number; readonly name: string }[], list: string): void {
  checkUnique(items, list, 'id', ({ id }) => id)
  checkUnique(items, list, 'name', ({ name }) => name)
}

// ---- Types of servers, Load Balancers and Storage Boxes ---------------------------------------------------------------------------

/** Ids and names are unique, and every type has a price in each location that offers it, and in no other. */
export function checkServerTypes(types: readonly ServerType[], locations: readonly Location[]): void {
  checkNamed(types, 'server_types')
  const names = new Map(locations.map(({ id, name }) => [id, name]))
  for (const [index, type] of types.entries()) {
    checkOffers(type, `server_types[${index}]`, names)
    const offered = new Set(type.locations.map(({ name }) => name))
    checkEachPriced(type.prices, `server_types[${index}].prices`, offered, 'the type is not offered in')
  }
}

function checkOffers(type: ServerType, path: string, names: ReadonlyMap<number, string>): void {
  const list = `${path}.locations`
  checkUnique(type.locations, list, 'id', (location) => location.id)
  for (const [index, { id, name }] of type.locations.entries()) {
    const known = names.get(id)
    if (known === undefined) fail(`${list}[${index}].id`, `there is no location with id ${id}`)
    if (known !== name) fail(`${list}[${index}].name`, `location ${id} has the name ${JSON.stringify(known)}`)
  }
  if (type.deprecation !== null && type.locations.some(({ deprecation }) => deprecation === null)) {
    fail(`${path}.deprecation`, 'must be null unless the type is deprecated in all its locations')
  }
}

/** Ids and names are unique, and every type has a price in each location. */
export function checkLoadBalancerTypes(types: readonly LoadBalancerType[], names: ReadonlySet<string>): void {
  checkNamed(types, 'load_balancer_types')
  for (const [index, { prices }] of types.entries()) {
    checkEachPriced(prices, `load_balancer_types[${index}].prices`, names, 'there is no location')
  }
}

/** Ids and names are unique, and prices are of locations that there are; the others do not offer the type. */
export function checkStorageBoxTypes(types: readonly StorageBoxType[], names: ReadonlySet<string>): void {
  checkNamed(types, 'storage_box_types')
  for (const [index, { prices }] of types.entries()) {
    checkPlaces(prices, `storage_box_types[${index}].prices`, names, 'there is no location')
  }
}

// ---- Prices --------------------------------------------------------------------------------------------------------

type Prices = readonly { readonly location: string }[]

/** Every price is of a location that there is, and each location is priced once. */
export function checkPricing(pricing: Pricing, names: ReadonlySet<string>): void {
  for (const list of ['floating_ips', 'primary_ips'] as const) {
    for (const [index, { prices }] of pricing[list].entries()) {
      checkPlaces(prices, `pricing.${list}[${index}].prices`, names, 'there is no location')
    }
  }
  checkUnique(pricing.floating_ips, 'pricing.floating_ips', 'type', ({ type }) => type)
  checkUnique(pricing.primary_ips, 'pricing.primary_ips', 'type', ({ type }) => type)
}

/** Each of the named locations has one price, and no other has any; `otherwise` is what is said of those. */
function checkEachPriced(prices: Prices, path: string, names: ReadonlySet<string>, otherwise: string): void {
  checkPlaces(prices, path, names, otherwise)
  const priced = new Set(prices.map(({ location }) => location))
  const missing = [...names].find((name) => !priced.has(name))
  if (missing !== undefined) fail(path, `has no price for location ${JSON.stringify(missing)}`)
}

function checkPlaces(prices: Prices, path: string, names: ReadonlySet<string>, otherwise: string): void {
  checkUnique(prices, path, 'location', ({ location }) => location)
  for (const [index, { location }] of prices.entries()) {
    if (!names.has(location)) fail(`${path}[${index}].location`, `${otherwise} ${JSON.stringify(location)}`)
  }
}

// ---- Addresses outside of the cloud --------------------------------------------------------------------------------

const external = 'external_addresses'

/** The ranges in canonical form; throws unless they are networks, of which no two have an address in common. */
export function readExternalAddresses(entries: readonly ExternalRange[]): readonly ExternalRange[] {
  const ranges = entries.map(({ project, ip_range }, index) => {
    const parsed = parseCidr(ip_range)
    if (!parsed.ok) fail(`${external}[${index}].ip_range`, parsed.message)
    return { project, ip_range: parsed.cidr }
  })
  checkUnique(ranges, external, 'ip_range', ({ ip_range }) => ip_range)
  checkApart(ranges)
  return ranges
}

/** Networks have addresses in common only where one lies within the other. */
function checkApart(ranges: readonly ExternalRange[]): void {
  const indexes = new Map(ranges.map(({ ip_range }, index) => [ip_range, index]))
  for (const [index, { ip_range }] of ranges.entries()) {
    const outer = around(ip_range).find((network) => indexes.has(network))
    if (outer !== undefined) fail(`${external}[${index}].ip_range`, `lies within ${external}[${indexes.get(outer)}]`)
  }
}

/** All networks that a network lies within. */
function around(cidr: string): string[] {
  const [address, length] = cidr.split('/')
  const networks = Array.from({ length: Number(length) }, (_, prefix) => parseCidr(`${address}/${prefix}`, 'drop'))
  return networks.flatMap((network) => (network.ok ? [network.cidr] : []))
}
