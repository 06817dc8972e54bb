/** The server types in a catalogue file, in the shape of the API (spec: Server type). */
import { type Static, Type } from 'typebox'
import type { ServerType } from './catalogue.ts'
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
  Size,
} from './file-entries.ts'
import { checkEachPriced, formatPrice, LocationPriceEntry, parsePrice } from './price-file.ts'

const ServerTypeLocationEntry = Type.Object({
  id: Id,
  name: Code,
  deprecation: nullable(DeprecationEntry),
  available: Type.Boolean(),
  recommended: Type.Boolean(),
})

export const ServerTypeEntry = Type.Object({
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

/** Ids and names are unique, and every type has a price in each location that offers it, and in no other. */
export function checkServerTypes(
  types: readonly Static<typeof ServerTypeEntry>[],
  locations: readonly { readonly id: number; readonly name: string }[],
): void {
  checkUnique(types, 'server_types', 'id', (type) => type.id)
  checkUnique(types, 'server_types', 'name', (type) => type.name)
  const names = new Map(locations.map(({ id, name }) => [id, name]))
  for (const [index, type] of types.entries()) {
    checkOffers(type, `server_types[${index}]`, names)
    const offered = new Set(type.locations.map(({ name }) => name))
    checkEachPriced(type.prices, `server_types[${index}].prices`, offered, 'the type is not offered in')
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

/** A server type of a file that was checked. */
export function parseServerType(entry: Static<typeof ServerTypeEntry>): ServerType {
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

/** The inverse of `parseServerType`. */
export function formatServerType(type: ServerType): Static<typeof ServerTypeEntry> {
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
