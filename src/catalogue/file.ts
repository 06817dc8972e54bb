/** Parses an operator's catalogue from JSON and reports the first error with its path. */
import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import {
  type CatalogueData,
  type Deprecation,
  type Iso,
  type Location,
  osFlavors,
  type ServerType,
  type SystemImage,
} from './catalogue.ts'
import { Code, checkUnique, fail, Id, Name } from './file-entries.ts'
import {
  checkPricing,
  formatPrice,
  formatPricing,
  LocationPriceEntry,
  PricingEntry,
  parsePrice,
  parsePricing,
} from './price-file.ts'
import { priceListOf } from './price-list.ts'

// This module imports typebox, so a start loads it only when the operator names a catalogue file.
//
// Every field is required, so a misspelt one is reported as missing; unknown fields are ignored, so that replies of the
// API can be pasted unchanged.

const nullable = <T extends TSchema>(schema: T) => Type.Union([Type.Null(), schema])

const Size = Type.Integer({ minimum: 1 })
const Architecture = Type.Enum(['x86', 'arm'])
// The format allows leap seconds, which Date cannot represent.
const Timestamp = Type.Refine(
  Type.String({ format: 'date-time' }),
  (text) => !Number.isNaN(Date.parse(text)),
  () => 'must be a time without leap second',
)
const DeprecationEntry = Type.Object({ announced: Timestamp, unavailable_after: Timestamp })

const LocationEntry = Type.Object({
  id: Id,
  name: Code,
  description: Type.String(),
  country: Type.String({ pattern: '^[A-Z]{2}$' }),
  city: Type.String(),
  latitude: Type.Number({ minimum: -90, maximum: 90 }),
  longitude: Type.Number({ minimum: -180, maximum: 180 }),
  network_zone: Code,
})

const ServerTypeLocationEntry = Type.Object({
  id: Id,
  name: Code,
  deprecation: nullable(DeprecationEntry),
  available: Type.Boolean(),
  recommended: Type.Boolean(),
})

const ServerTypeEntry = Type.Object({
  id: Id,
  name: Name,
  description: Type.String(),
  category: nullable(Type.String()),
  cores: Size,
  memory: Type.Number({ exclusiveMinimum: 0 }),
  disk: Size,
  storage_type: Type.Enum(['local', 'network']),
  cpu_type: Type.Enum(['shared', 'dedicated']),
  architecture: Architecture,
  prices: Type.Array(LocationPriceEntry),
  locations: Type.Array(ServerTypeLocationEntry),
  deprecation: nullable(DeprecationEntry),
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
  images: Type.Array(ImageEntry),
  // Files that were written before there were ISOs have none.
  isos: Type.Optional(Type.Array(IsoEntry)),
  // Without it, the built-in prices hold in the locations of the file.
  pricing: Type.Optional(PricingEntry),
  vswitches: Type.Optional(Type.Array(Type.Object({ id: Id }))),
})

const validator = Compile(CatalogueFileSchema)

/** The JSON value of a catalogue file: lists with entries in the shape of API replies, the price list, and vSwitches if there are any. */
export type CatalogueFile = Static<typeof CatalogueFileSchema>

/**
 * Converts the parsed JSON of a catalogue file; timestamps become UTC with whole seconds. Throws an Error for the first
 * problem, with a one-line message such as `catalogue: server_types[3].cores: must be integer`
 * (spec: Location, Image, Server type, ISO, Pricing).
 */
export function parseCatalogue(json: unknown): CatalogueData {
  const file = checkShape(json)
  checkLocations(file)
  checkServerTypes(file)
  checkImages(file)
  checkIsos(file)
  const locations = file.locations.map(parseLocation)
  if (file.pricing) checkPricing(file.pricing, new Set(locations.map(({ name }) => name)))
  return {
    locations,
    serverTypes: file.server_types.map(parseServerType),
    images: file.images.map(parseImage),
    isos: (file.isos ?? []).map(parseIso),
    priceList: file.pricing ? parsePricing(file.pricing) : priceListOf(locations),
    ...(file.vswitches ? { vswitches: file.vswitches.map(({ id }) => id) } : {}),
  }
}

/** The inverse of `parseCatalogue`: the JSON value of a catalogue file, as a starting point for operators. */
export function toFile(data: CatalogueData): CatalogueFile {
  return {
    locations: data.locations.map(formatLocation),
    server_types: data.serverTypes.map(formatServerType),
    images: data.images.map(formatImage),
    isos: data.isos.map(formatIso),
    pricing: formatPricing(data.priceList),
    ...(data.vswitches ? { vswitches: data.vswitches.map((id) => ({ id })) } : {}),
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

function checkServerTypes({ locations, server_types }: CatalogueFile): void {
  checkUnique(server_types, 'server_types', 'id', (type) => type.id)
  checkUnique(server_types, 'server_types', 'name', (type) => type.name)
  const names = new Map(locations.map(({ id, name }) => [id, name]))
  for (const [index, type] of server_types.entries()) {
    checkOffers(type, `server_types[${index}]`, names)
    checkPrices(type, `server_types[${index}]`)
  }
}

function checkOffers(type: Static<typeof ServerTypeEntry>, path: string, names: ReadonlyMap<number, string>): void {
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

function checkPrices(type: Static<typeof ServerTypeEntry>, path: string): void {
  checkUnique(type.prices, `${path}.prices`, 'location', (price) => price.location)
  const offered = new Set(type.locations.map(({ name }) => name))
  for (const [index, { location }] of type.prices.entries()) {
    if (!offered.delete(location)) {
      fail(`${path}.prices[${index}].location`, `the type is not offered in ${JSON.stringify(location)}`)
    }
  }
  for (const name of offered) fail(`${path}.prices`, `has no price for location ${JSON.stringify(name)}`)
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
  const { id, name, description, country, city, latitude, longitude } = entry
  return { id, name, description, country, city, latitude, longitude, networkZone: entry.network_zone }
}

function formatLocation(location: Location): Static<typeof LocationEntry> {
  const { networkZone, ...rest } = location
  return { ...rest, network_zone: networkZone }
}

function parseServerType(entry: Static<typeof ServerTypeEntry>): ServerType {
  const { id, name, description, category, cores, memory, disk, architecture } = entry
  return {
    id,
    name,
    description,
    category,
    cores,
    memory,
    disk,
    storageType: entry.storage_type,
    cpuType: entry.cpu_type,
    architecture,
    prices: entry.prices.map(parsePrice),
    locations: entry.locations.map(({ id, name, deprecation, available, recommended }) => {
      return { id, name, deprecation: parseDeprecation(deprecation), available, recommended }
    }),
    deprecation: parseDeprecation(entry.deprecation),
  }
}

function formatServerType(type: ServerType): Static<typeof ServerTypeEntry> {
  const { id, name, description, category, cores, memory, disk, architecture } = type
  return {
    id,
    name,
    description,
    category,
    cores,
    memory,
    disk,
    storage_type: type.storageType,
    cpu_type: type.cpuType,
    architecture,
    prices: type.prices.map(formatPrice),
    locations: type.locations.map((location) => {
      return { ...location, deprecation: formatDeprecation(location.deprecation) }
    }),
    deprecation: formatDeprecation(type.deprecation),
  }
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

function parseDeprecation(entry: Static<typeof DeprecationEntry> | null): Deprecation | null {
  if (entry === null) return null
  return { announced: utcSeconds(entry.announced), unavailableAfter: utcSeconds(entry.unavailable_after) }
}

function formatDeprecation(deprecation: Deprecation | null): Static<typeof DeprecationEntry> | null {
  if (deprecation === null) return null
  return { announced: deprecation.announced, unavailable_after: deprecation.unavailableAfter }
}

function utcSeconds(timestamp: string): string {
  return `${new Date(timestamp).toISOString().slice(0, -5)}Z`
}
