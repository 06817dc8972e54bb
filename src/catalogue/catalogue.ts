/** The catalogue lists what an installation offers and what it costs; built-in.ts and file.ts fill it. */
import { cidrContains } from '../protocols/net/ip.ts'

/**
 * ISO 3166 and coordinates describe a site; the network zone groups sites that one network can span (spec: Location).
 */
export type Location = {
  readonly id: number
  readonly name: string
  readonly description: string
  /** ISO 3166-1 alpha-2 code. */
  readonly country: string
  readonly city: string
  /** Degrees north. */
  readonly latitude: number
  /** Degrees east. */
  readonly longitude: number
  readonly networkZone: string
  /** The name of what runs its machines; undefined for the usual one of the installation. */
  readonly infrastructure?: string
}

/** A group of locations with the same built-in prices and traffic. */
export type Region = 'eu' | 'us' | 'sin'

export function regionOf({ country }: Location): Region {
  if (country === 'US') return 'us'
  return country === 'SG' ? 'sin' : 'eu'
}

/** Processor architectures; an image runs only on server types of the same one (spec: Image). */
export type Architecture = 'x86' | 'arm'

/** RFC 3339 timestamps: when the deprecation was announced, and until when the resource can still be ordered. */
export type Deprecation = {
  readonly announced: string
  readonly unavailableAfter: string
}

/** Amounts in the currency of the installation, as decimal strings to keep every digit. */
export type Price = {
  readonly net: string
  readonly gross: string
}

/** The price of a type in one location. OpenAPI schema `price_per_time`. */
export type LocationPrice = {
  /** Location name, e.g. `fsn1`. */
  readonly location: string
  readonly priceHourly: Price
  readonly priceMonthly: Price
  /** Bytes per month. */
  readonly includedTraffic: number
  readonly pricePerTbTraffic: Price
}

/** Availability of a server type in one location. OpenAPI schema `server_type_location`. */
export type ServerTypeLocation = {
  readonly id: number
  readonly name: string
  readonly deprecation: Deprecation | null
  /** A hint about free capacity; it does not decide whether an order is accepted. */
  readonly available: boolean
  readonly recommended: boolean
}

/** A size of server. OpenAPI schema `server_type`. */
export type ServerType = {
  readonly id: number
  readonly name: string
  readonly description: string
  /** Null on types that predate categories. */
  readonly category: string | null
  readonly cores: number
  /** GB. */
  readonly memory: number
  /** GB. */
  readonly disk: number
  readonly storageType: 'local' | 'network'
  readonly cpuType: 'shared' | 'dedicated'
  readonly architecture: Architecture
  readonly prices: readonly LocationPrice[]
  readonly locations: readonly ServerTypeLocation[]
  /** Set only when every location is deprecated; `locations` decides what can be ordered. */
  readonly deprecation: Deprecation | null
}

/** A size of Load Balancer, which every location offers. OpenAPI schema `load_balancer_type`. */
export type LoadBalancerType = {
  readonly id: number
  readonly name: string
  readonly description: string
  /** The most connections open at the same time. */
  readonly maxConnections: number
  readonly maxServices: number
  readonly maxTargets: number
  readonly maxAssignedCertificates: number
  readonly prices: readonly LocationPrice[]
  readonly deprecation: Deprecation | null
}

/** The `os_flavor` values of the OpenAPI schema `image`. */
export const osFlavors = ['alma', 'centos', 'debian', 'fedora', 'opensuse', 'rocky', 'ubuntu', 'unknown'] as const

/** An image that comes with the installation, as opposed to snapshots and backups of its users (spec: Image). */
export type SystemImage = {
  readonly id: number
  readonly type: 'system' | 'app'
  /** Unique together with `architecture`. */
  readonly name: string
  readonly description: string
  readonly osFlavor: (typeof osFlavors)[number]
  readonly osVersion: string | null
  readonly architecture: Architecture
  /** RFC 3339 timestamp. */
  readonly created: string
  /** The minimum disk size of a server in GB. */
  readonly diskSize: number
  readonly rapidDeploy: boolean
  readonly deprecation: Deprecation | null
}

/** The price of an address of one type in one location. */
export type AddressPrice = {
  readonly location: string
  readonly priceMonthly: Price
}

export type AddressPrices<P extends AddressPrice> = {
  readonly type: 'ipv4' | 'ipv6'
  readonly prices: readonly P[]
}

/** The prices of everything but server types and types of Load Balancers, which carry their own (spec: Pricing). */
export type PriceList = {
  /** ISO 4217 code. */
  readonly currency: string
  /** Percent, as a decimal string. */
  readonly vatRate: string
  readonly imagePerGbMonth: Price
  readonly volumePerGbMonth: Price
  /** Percent of the price of the server, as a decimal string. */
  readonly serverBackupPercentage: string
  readonly floatingIps: readonly AddressPrices<AddressPrice>[]
  readonly primaryIps: readonly AddressPrices<AddressPrice & { readonly priceHourly: Price }>[]
}

/** An installation medium that can be in the drive of a server (spec: ISO). */
export type Iso = {
  readonly id: number
  /** Unique. */
  readonly name: string
  readonly description: string
  /** Null for one that fits every server. */
  readonly architecture: Architecture | null
  readonly deprecation: Deprecation | null
}

/** A range of addresses outside of the cloud that belongs to a Project. */
export type ExternalRange = {
  /** The name of the Project. */
  readonly project: string
  /** A network in canonical form. */
  readonly ipRange: string
}

/** The catalogue's lists in any order, and its prices. */
export type CatalogueData = {
  readonly locations: readonly Location[]
  readonly serverTypes: readonly ServerType[]
  readonly loadBalancerTypes: readonly LoadBalancerType[]
  readonly images: readonly SystemImage[]
  readonly isos: readonly Iso[]
  readonly priceList: PriceList
  /** Ids of the vSwitches that networks can be coupled with. */
  readonly vswitches?: readonly number[]
  readonly externalAddresses?: readonly ExternalRange[]
}

/** The lists in ascending id order, with look-ups in constant time that return undefined for unknown keys. */
export type Catalogue = CatalogueData & {
  readonly locationById: (id: number) => Location | undefined
  readonly locationByName: (name: string) => Location | undefined
  readonly serverTypeById: (id: number) => ServerType | undefined
  readonly serverTypeByName: (name: string) => ServerType | undefined
  readonly loadBalancerTypeById: (id: number) => LoadBalancerType | undefined
  readonly loadBalancerTypeByName: (name: string) => LoadBalancerType | undefined
  readonly imageById: (id: number) => SystemImage | undefined
  /** One entry per architecture, in ascending id order; empty for an unknown name. */
  readonly imagesByName: (name: string) => readonly SystemImage[]
  readonly isoById: (id: number) => Iso | undefined
  readonly isoByName: (name: string) => Iso | undefined
  readonly hasVswitch: (id: number) => boolean
  /** Tells whether an address outside the cloud, in canonical form, belongs to the Project of this name. */
  readonly ownsExternally: (projectName: string, address: string) => boolean
}

const none: readonly never[] = []

/**
 * Sorts and indexes `data` without changing it: lists are ordered by id by default (spec: Pagination and sorting rules).
 * It does not validate: `parseCatalogue` ensures that ids and names are unique.
 */
export function openCatalogue(data: CatalogueData): Catalogue {
  const locations = sortedById(data.locations)
  const serverTypes = sortedById(data.serverTypes)
  const loadBalancerTypes = sortedById(data.loadBalancerTypes)
  const images = sortedById(data.images)
  const isos = sortedById(data.isos)
  const locationsById = indexBy(locations, (location) => location.id)
  const locationsByName = indexBy(locations, (location) => location.name)
  const typesById = indexBy(serverTypes, (type) => type.id)
  const typesByName = indexBy(serverTypes, (type) => type.name)
  const balancerTypesById = indexBy(loadBalancerTypes, (type) => type.id)
  const balancerTypesByName = indexBy(loadBalancerTypes, (type) => type.name)
  const imagesById = indexBy(images, (image) => image.id)
  const imagesByName = Map.groupBy(images, (image) => image.name)
  const isosById = indexBy(isos, (iso) => iso.id)
  const isosByName = indexBy(isos, (iso) => iso.name)
  const vswitches = new Set(data.vswitches)
  const rangesByProject = Map.groupBy(data.externalAddresses ?? none, ({ project }) => project)
  return {
    locations,
    serverTypes,
    loadBalancerTypes,
    images,
    isos,
    priceList: data.priceList,
    locationById: (id) => locationsById.get(id),
    locationByName: (name) => locationsByName.get(name),
    serverTypeById: (id) => typesById.get(id),
    serverTypeByName: (name) => typesByName.get(name),
    loadBalancerTypeById: (id) => balancerTypesById.get(id),
    loadBalancerTypeByName: (name) => balancerTypesByName.get(name),
    imageById: (id) => imagesById.get(id),
    imagesByName: (name) => imagesByName.get(name) ?? none,
    isoById: (id) => isosById.get(id),
    isoByName: (name) => isosByName.get(name),
    hasVswitch: (id) => vswitches.has(id),
    ownsExternally: (projectName, address) => {
      return (rangesByProject.get(projectName) ?? none).some(({ ipRange }) => cidrContains(ipRange, address))
    },
  }
}

/**
 * Tells whether `GET /server_types` lists the type at `now` (ms since the epoch), which is as long as at least one
 * location offers it. A type that is no longer listed can still be read by id.
 */
export function serverTypeIsListed(type: ServerType, now: number): boolean {
  return type.locations.some((location) => isOffered(location, now))
}

/**
 * Tells whether the catalogue allows creating a server of this type in the location at `now` (ms since the epoch). The
 * caller checks free capacity; the `available` hint is ignored.
 */
export function serverTypeOrderable(type: ServerType, locationId: number, now: number): boolean {
  const location = type.locations.find((candidate) => candidate.id === locationId)
  return location !== undefined && isOffered(location, now)
}

/**
 * Tells whether a type of Load Balancers is listed and can be ordered at `now` (ms since the epoch): until the end of
 * its deprecation. Afterwards it can still be read by id.
 */
export function loadBalancerTypeIsListed(type: LoadBalancerType, now: number): boolean {
  return isOffered(type, now)
}

/**
 * Tells whether an ISO is listed and can be attached at `now` (ms since the epoch): until the end of its deprecation.
 */
export function isoIsListed(iso: Iso, now: number): boolean {
  return isOffered(iso, now)
}

function isOffered({ deprecation }: { readonly deprecation: Deprecation | null }, now: number): boolean {
  return deprecation === null || now <= Date.parse(deprecation.unavailableAfter)
}

function sortedById<T extends { readonly id: number }>(items: readonly T[]): readonly T[] {
  return items.toSorted((a, b) => a.id - b.id)
}

function indexBy<T, K>(items: readonly T[], key: (item: T) => K): ReadonlyMap<K, T> {
  return new Map(items.map((item) => [key(item), item]))
}
