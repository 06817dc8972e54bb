/** Reads an operator's catalogue from JSON and reports the first error with its path. */
import { IsArray, IsObject, IsUnion, type Static, type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { CatalogueData } from './catalogue.ts'
import { FileEntry } from './entries.ts'
import { byName, extendBuiltIn, isExtension } from './extension.ts'
import {
  checkLoadBalancerTypes,
  checkNamed,
  checkPricing,
  checkServerTypes,
  checkStorageBoxTypes,
  checkUnique,
  fail,
  readExternalAddresses,
} from './file-checks.ts'
import { loadBalancerTypesIn } from './load-balancer-types.ts'
import { pricingIn } from './pricing.ts'
import { storageBoxTypesIn } from './storage-box-types.ts'

const validator = Compile(FileEntry)

/** The JSON value of a catalogue file. */
export type CatalogueFile = Static<typeof FileEntry>

/**
 * Converts the parsed JSON of a catalogue file, which is a whole catalogue, or extends the built-in one; timestamps become
 * UTC with whole seconds. Throws an Error for the first problem, with a one-line message such as
 * `catalogue: server_types[3].cores: must be integer` (spec: Location, Image, Server type, ISO, Pricing).
 */
export function parseCatalogue(json: unknown): CatalogueData {
  if (!isExtension(json)) return parseWhole(json)
  const whole = extendBuiltIn(json)
  try {
    return parseWhole(whole)
  } catch (error) {
    throw new Error(byName((error as Error).message, whole), { cause: error })
  }
}

function parseWhole(json: unknown): CatalogueData {
  const file = readShape(json)
  const { locations, isos = [] } = file
  checkNamed(locations, 'locations')
  checkServerTypes(file.server_types, locations)
  checkUnique(file.images, 'images', 'id', ({ id }) => id)
  checkUnique(file.images, 'images', 'name', ({ name, architecture }) => `${name} (${architecture})`)
  checkNamed(isos, 'isos')
  const names = new Set(locations.map(({ name }) => name))
  if (file.load_balancer_types) checkLoadBalancerTypes(file.load_balancer_types, names)
  if (file.storage_box_types) checkStorageBoxTypes(file.storage_box_types, names)
  if (file.pricing) checkPricing(file.pricing, names)
  if (file.vswitches) checkUnique(file.vswitches, 'vswitches', 'id', ({ id }) => id)
  return {
    locations,
    server_types: file.server_types,
    load_balancer_types: file.load_balancer_types ?? loadBalancerTypesIn(locations),
    storage_box_types: file.storage_box_types ?? storageBoxTypesIn(locations),
    images: file.images,
    isos,
    pricing: file.pricing ?? pricingIn(locations),
    vswitches: file.vswitches ?? [],
    external_addresses: readExternalAddresses(file.external_addresses ?? []),
  }
}

function readShape(json: unknown): CatalogueFile {
  if (validator.Check(json)) return declared(FileEntry, json) as CatalogueFile
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

/** A value that was checked, with the fields of its schema alone, in their order, and timestamps in one notation. */
function declared(schema: TSchema, value: unknown): unknown {
  if (value === null) return null
  if (IsUnion(schema)) return declared(schema.anyOf.at(-1)!, value)
  if (IsArray(schema)) return (value as unknown[]).map((item) => declared(schema.items, item))
  if (IsObject(schema)) {
    const given = value as Record<string, unknown>
    const known = Object.entries(schema.properties).filter(([field]) => field in given)
    return Object.fromEntries(known.map(([field, part]) => [field, declared(part, given[field])]))
  }
  return 'format' in schema && schema.format === 'date-time' ? utcSeconds(value as string) : value
}

/** A timestamp of a file in UTC with whole seconds. */
function utcSeconds(timestamp: string): string {
  return `${new Date(timestamp).toISOString().slice(0, -5)}Z`
}

/** Converts a JSON pointer (`/images/3/name`) into a more readable path (`images[3].name`). */
function pathOf(pointer: string): string {
  const path = pointer.replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]').replaceAll('/', '.')
  return path.startsWith('.') ? path.slice(1) : path
}

function joinPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}
