/** Parses an operator's catalogue from JSON and reports the first error with its path. */
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { type CatalogueData, type Iso, type Location, osFlavors, type SystemImage } from './catalogue.ts'
import { ExternalAddressEntry, formatExternalAddress, parseExternalAddresses } from './external-address-file.ts'
import {
  Architecture,
  Code,
  checkUnique,
  DeprecationEntry,
  fail,
  formatDeprecation,
  Id,
  Name,
  nullable,
  parseDeprecation,
  Timestamp,
  utcSeconds,
} from './file-entries.ts'
import {
  checkLoadBalancerTypes,
  formatLoadBalancerType,
  LoadBalancerTypeEntry,
  parseLoadBalancerType,
} from './load-balancer-type-file.ts'
import { loadBalancerTypesIn } from './load-balancer-types.ts'
import { checkPricing, formatPricing, PricingEntry, parsePricing } from './price-file.ts'
import { priceListOf } from './price-list.ts'
import { checkServerTypes, formatServerType, parseServerType, ServerTypeEntry } from './server-type-file.ts'

// This module imports typebox, so a start loads it only when the operator names a catalogue file.
//
// Every field is required, so a misspelt one is reported as missing; unknown fields are ignored, so that replies of the
// API can be pasted unchanged.

const LocationEntry = Type.Object({
  id: Id,
  name: Code,
  description: Type.String(),
  country: Type.String({ pattern: '^[A-Z]{2}$' }),
  city: Type.String(),
  latitude: Type.Number({ minimum: -90, maximum: 90 }),
  longitude: Type.Number({ minimum: -180, maximum: 180 }),
  network_zone: Code,
  infrastructure: Type.Optional(Code),
})

const ImageEntry = Type.Object({
  id: Id,
  type: Type.Enum(['system', 'app']),
  name: Name,
  description: Type.String(),
  os_flavor: Type.Enum([...osFlavors]),
  os_version: nullable(Type.String()),
  architecture: Architecture,
  created: Timestamp,
  disk_size: Type.Number({ minimum: 0 }),
  rapid_deploy: Type.Boolean(),
  deprecation: nullable(DeprecationEntry),
})

const IsoEntry = Type.Object({
  id: Id,
  name: Name,
  description: Type.String(),
  architecture: nullable(Architecture),
  deprecation: nullable(DeprecationEntry),
})

const CatalogueFileSchema = Type.Object({
  locations: Type.Array(LocationEntry),
  server_types: Type.Array(ServerTypeEntry),
  // A file without it gets the built-in types with their prices in its own locations.
  load_balancer_types: Type.Optional(Type.Array(LoadBalancerTypeEntry)),
  images: Type.Array(ImageEntry),
  // Files that were written before there were ISOs have none.
  isos: Type.Optional(Type.Array(IsoEntry)),
  // A file without it gets the built-in prices in its own locations.
  pricing: Type.Optional(PricingEntry),
  vswitches: Type.Optional(Type.Array(Type.Object({ id: Id }))),
  external_addresses: Type.Optional(Type.Array(ExternalAddressEntry)),
})

const validator = Compile(CatalogueFileSchema)

/**
 * The JSON value of a catalogue file: lists with entries in the shape of API replies, the price list, and vSwitches and
 * addresses outside of the cloud if there are any.
 */
export type CatalogueFile = Static<typeof CatalogueFileSchema>

/**
 * Converts the parsed JSON of a catalogue file; timestamps become UTC with whole seconds. Throws an Error for the first
 * problem, with a one-line message such as `catalogue: server_types[3].cores: must be integer`
 * (spec: Location, Image, Server type, ISO, Pricing).
 */
export function parseCatalogue(json: unknown): CatalogueData {
  const file = checkShape(json)
  checkLocations(file)
  checkServerTypes(file.server_types, file.locations)
  checkImages(file)
  checkIsos(file)
  const locations = file.locations.map(parseLocation)
  const names = new Set(locations.map(({ name }) => name))
  if (file.load_balancer_types) checkLoadBalancerTypes(file.load_balancer_types, names)
  if (file.pricing) checkPricing(file.pricing, names)
  return {
    locations,
    serverTypes: file.server_types.map(parseServerType),
    loadBalancerTypes: file.load_balancer_types?.map(parseLoadBalancerType) ?? loadBalancerTypesIn(locations),
    images: file.images.map(parseImage),
    isos: (file.isos ?? []).map(parseIso),
    priceList: file.pricing ? parsePricing(file.pricing) : priceListOf(locations),
    ...(file.vswitches ? { vswitches: file.vswitches.map(({ id }) => id) } : {}),
    ...(file.external_addresses ? { externalAddresses: parseExternalAddresses(file.external_addresses) } : {}),
  }
}

/** The inverse of `parseCatalogue`: the JSON value of a catalogue file, as a starting point for operators. */
export function toFile(data: CatalogueData): CatalogueFile {
  return {
    locations: data.locations.map(formatLocation),
    server_types: data.serverTypes.map(formatServerType),
    load_balancer_types: data.loadBalancerTypes.map(formatLoadBalancerType),
    images: data.images.map(formatImage),
    isos: data.isos.map(formatIso),
    pricing: formatPricing(data.priceList),
    ...(data.vswitches ? { vswitches: data.vswitches.map((id) => ({ id })) } : {}),
    ...(data.externalAddresses ? { external_addresses: data.externalAddresses.map(formatExternalAddress) } : {}),
  }
}

function checkShape(json: unknown): CatalogueFile {
  if (validator.Check(json)) return json
  // A nullable field reports one error per alternative and a summary; report the one about the non-null alternative.
  const error = validator.Errors(json).find(({ keyword, params }) => {
    return keyword !== 'anyOf' && !('type' in params && params.type === 'null')
  })
  if (error === undefined) fail('', 'does not have the expected shape')
  const path = pathOf(error.instancePath)
  if (error.keyword === 'required') fail(joinPath(path, String(error.params.requiredProperties[0])), 'is missing')
  if (error.keyword === 'enum') fail(path, `must be one of ${error.params.allowedValues.join(', ')}`)
  fail(path, /\/anyOf\/\d+$/.test(error.schemaPath) ? `${error.message} or null` : error.message)
}

/** Converts a JSON pointer (`/images/3/name`) into a more readable path (`images[3].name`). */
function pathOf(pointer: string): string {
  const path = pointer.replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]').replaceAll('/', '.')
  return path.startsWith('.') ? path.slice(1) : path
}

function joinPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

function checkLocations({ locations }: CatalogueFile): void {
  checkUnique(locations, 'locations', 'id', (location) => location.id)
  checkUnique(locations, 'locations', 'name', (location) => location.name)
}

function checkImages({ images }: CatalogueFile): void {
  checkUnique(images, 'images', 'id', (image) => image.id)
  checkUnique(images, 'images', 'name', (image) => `${image.name} (${image.architecture})`)
}

function checkIsos({ isos = [] }: CatalogueFile): void {
  checkUnique(isos, 'isos', 'id', (iso) => iso.id)
  checkUnique(isos, 'isos', 'name', (iso) => iso.name)
}

function parseLocation(entry: Static<typeof LocationEntry>): Location {
  const { id, name, description, country, city, latitude, longitude, network_zone: networkZone, infrastructure } = entry
  const location = { id, name, description, country, city, latitude, longitude, networkZone }
  return infrastructure === undefined ? location : { ...location, infrastructure }
}

function formatLocation(location: Location): Static<typeof LocationEntry> {
  const { networkZone, ...rest } = location
  return { ...rest, network_zone: networkZone }
}

function parseImage(entry: Static<typeof ImageEntry>): SystemImage {
  const { id, type, name, description, architecture } = entry
  return {
    id,
    type,
    name,
    description,
    osFlavor: entry.os_flavor,
    osVersion: entry.os_version,
    architecture,
    created: utcSeconds(entry.created),
    diskSize: entry.disk_size,
    rapidDeploy: entry.rapid_deploy,
    deprecation: parseDeprecation(entry.deprecation),
  }
}

function formatImage(image: SystemImage): Static<typeof ImageEntry> {
  const { id, type, name, description, architecture, created } = image
  return {
    id,
    type,
    name,
    description,
    os_flavor: image.osFlavor,
    os_version: image.osVersion,
    architecture,
    created,
    disk_size: image.diskSize,
    rapid_deploy: image.rapidDeploy,
    deprecation: formatDeprecation(image.deprecation),
  }
}

function parseIso({ id, name, description, architecture, deprecation }: Static<typeof IsoEntry>): Iso {
  return { id, name, description, architecture, deprecation: parseDeprecation(deprecation) }
}

function formatIso(iso: Iso): Static<typeof IsoEntry> {
  return { ...iso, deprecation: formatDeprecation(iso.deprecation) }
}
