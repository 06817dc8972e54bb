/** The catalogue lists what an installation offers and what it costs; built-in.ts and file.ts fill it. */
import type { Static, TSchema } from 'typebox'
import { cidrContains } from '../protocols/net/ip.ts'
import type {
  DeprecationEntry,
  ExternalAddressEntry,
  FileEntry,
  ImageEntry,
  IsoEntry,
  LoadBalancerTypeEntry,
  LocationEntry,
  LocationPriceEntry,
  PriceEntry,
  PricingEntry,
  ServerTypeEntry,
  StorageBoxTypeEntry,
} from './entries.ts'

/** A value that nobody changes. */
type Fixed<T> = T extends object ? { readonly [Key in keyof T]: Fixed<T[Key]> } : T

type Entry<Schema extends TSchema> = Fixed<Static<Schema>>

export type Location = Entry<typeof LocationEntry>
export type ServerType = Entry<typeof ServerTypeEntry>
export type LoadBalancerType = Entry<typeof LoadBalancerTypeEntry>
export type StorageBoxType = Entry<typeof StorageBoxTypeEntry>
export type SystemImage = Entry<typeof ImageEntry>
export type Iso = Entry<typeof IsoEntry>
export type Pricing = Entry<typeof PricingEntry>
export type ExternalRange = Entry<typeof ExternalAddressEntry>
export type Price = Entry<typeof PriceEntry>
export type LocationPrice = Entry<typeof LocationPriceEntry>
export type Deprecation = Entry<typeof DeprecationEntry>

/** Processor architectures; an image runs only on server types of the same one (spec: Image). */
export type Architecture = SystemImage['architecture']

/** The catalogue's lists in any order, and its prices: a whole catalogue file. */
export type CatalogueData = Required<Entry<typeof FileEntry>>

/** A group of locations with the same built-in prices and traffic. */
export type Region = 'eu' | 'us' | 'sin'

export function regionOf({ country }: Location): Region {
  if (country === 'US') return 'us'
  return country === 'SG' ? 'sin' : 'eu'
}

/** The lists in ascending id order, with look-ups in constant time that return undefined for unknown keys. */
export type Catalogue = CatalogueData & {
  readonly locationById: (id: number) => Location | undefined
  readonly locationByName: (name: string) => Location | undefined
  readonly serverTypeById: (id: number) => ServerType | undefined
  readonly serverTypeByName: (name: string) => ServerType | undefined
  readonly loadBalancerTypeById: (id: number) => LoadBalancerType | undefined
  readonly loadBalancerTypeByName: (name: string) => LoadBalancerType | undefined
  readonly storageBoxTypeById: (id: number) => StorageBoxType | undefined
  readonly storageBoxTypeByName: (name: string) => StorageBoxType | undefined
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
  const serverTypes = sortedById(data.server_types)
  const loadBalancerTypes = sortedById(data.load_balancer_types)
  const storageBoxTypes = sortedById(data.storage_box_types)
  const images = sortedById(data.images)
  const isos = sortedById(data.isos)
  const locationsById = indexBy(locations, (location) => location.id)
  const locationsByName = indexBy(locations, (location) => location.name)
  const typesById = indexBy(serverTypes, (type) => type.id)
  const typesByName = indexBy(serverTypes, (type) => type.name)
  const balancerTypesById = indexBy(loadBalancerTypes, (type) => type.id)
  const balancerTypesByName = indexBy(loadBalancerTypes, (type) => type.name)
  const boxTypesById = indexBy(storageBoxTypes, (type) => type.id)
  const boxTypesByName = indexBy(storageBoxTypes, (type) => type.name)
  const imagesById = indexBy(images, (image) => image.id)
  const imagesByName = Map.groupBy(images, (image) => image.name)
  const isosById = indexBy(isos, (iso) => iso.id)
  const isosByName = indexBy(isos, (iso) => iso.name)
  const vswitches = new Set(data.vswitches.map(({ id }) => id))
  const rangesByProject = Map.groupBy(data.external_addresses, ({ project }) => project)
  return {
    ...data,
    locations,
    server_types: serverTypes,
    load_balancer_types: loadBalancerTypes,
    storage_box_types: storageBoxTypes,
    images,
    isos,
    locationById: (id) => locationsById.get(id),
    locationByName: (name) => locationsByName.get(name),
    serverTypeById: (id) => typesById.get(id),
    serverTypeByName: (name) => typesByName.get(name),
    loadBalancerTypeById: (id) => balancerTypesById.get(id),
    loadBalancerTypeByName: (name) => balancerTypesByName.get(name),
    storageBoxTypeById: (id) => boxTypesById.get(id),
    storageBoxTypeByName: (name) => boxTypesByName.get(name),
    imageById: (id) => imagesById.get(id),
    imagesByName: (name) => imagesByName.get(name) ?? none,
    isoById: (id) => isosById.get(id),
    isoByName: (name) => isosByName.get(name),
    hasVswitch: (id) => vswitches.has(id),
    ownsExternally: (projectName, address) => {
      return (rangesByProject.get(projectName) ?? none).some(({ ip_range }) => cidrContains(ip_range, address))
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

/** The same for a type of Storage Boxes. */
export function storageBoxTypeIsListed(type: StorageBoxType, now: number): boolean {
  return isOffered(type, now)
}

/**
 * Tells whether an ISO is listed and can be attached at `now` (ms since the epoch): until the end of its deprecation.
 */
export function isoIsListed(iso: Iso, now: number): boolean {
  return isOffered(iso, now)
}

function isOffered({ deprecation }: { readonly deprecation: Deprecation | null }, now: number): boolean {
  return deprecation === null || now <= Date.parse(deprecation.unavailable_after)
}

function sortedById<T extends { readonly id: number }>(items: readonly T[]): readonly T[] {
  return items.toSorted((a, b) => a.id - b.id)
}

function indexBy<T, K>(items: readonly T[], key: (item: T) => K): ReadonlyMap<K, T> {
  return new Map(items.map((item) => [key(item), item]))
}
