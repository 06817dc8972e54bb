/**
 * A catalogue file that extends the built-in catalogue: each of its entries changes one that there is, or is added. What
 * comes of it is a whole file, which has to agree with itself like any other.
 */
import { IsArray, IsObject, IsUnion, type TSchema } from 'typebox'
import { builtIn } from './built-in.ts'
import type { Location } from './catalogue.ts'
import { FileEntry } from './entries.ts'
import { fail } from './file-checks.ts'
import { loadBalancerTypesIn } from './load-balancer-types.ts'
import { pricingIn } from './pricing.ts'
import { storageBoxTypesIn } from './storage-box-types.ts'

type Fields = Readonly<Record<string, unknown>>

/** The fields besides the id that tell the entries of a list apart; in other lists it is the name. */
const keysOf: Readonly<Record<string, readonly string[]>> = {
  images: ['name', 'architecture'],
  prices: ['location'],
  floating_ips: ['type'],
  primary_ips: ['type'],
  vswitches: [],
  external_addresses: ['ip_range'],
}

/** Tells whether the JSON of a catalogue file adds to another catalogue instead of replacing it. */
export function isExtension(json: unknown): json is Fields {
  return isFields(json) && 'extends' in json
}

/**
 * The whole catalogue that an extending file makes, as the JSON of a file without `extends`; its shape is not checked yet.
 * Throws an Error that names the field for what the built-in catalogue and the file cannot agree on, and for unknown fields.
 */
export function extendBuiltIn({ extends: base, ...file }: Fields): Fields {
  if (base !== 'built-in') fail('extends', 'must be "built-in"')
  refuseUnknown(FileEntry, file, '')
  const locations = extendedValue(builtIn.locations, file.locations ?? [], 'locations')
  // Prices of new locations are those of their regions, unless the file says others.
  const places = Array.isArray(locations) ? (locations.filter(isFields) as unknown as Location[]) : builtIn.locations
  const priced = {
    ...builtIn,
    load_balancer_types: loadBalancerTypesIn(places),
    storage_box_types: storageBoxTypesIn(places),
    pricing: pricingIn(places),
  }
  return extended(priced, file, '')
}

/** The message about a whole catalogue, with the entries named as they are called: their places are not those in the file. */
export function byName(message: string, catalogue: Fields): string {
  return message.replaceAll(/(?<![\w.\]])\w+(?:\.\w+)*(?:\[\d+\](?:\.\w+)*)+/g, (path) => {
    let value: unknown = catalogue
    return path.replaceAll(/\.?(\w+)|\[(\d+)\]/g, (part, field?: string, index?: string) => {
      value = (value as Fields | undefined)?.[field ?? index!]
      return index === undefined ? part : `[${nameOf(value) ?? index}]`
    })
  })
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function nameOf(entry: unknown): unknown {
  if (!isFields(entry)) return undefined
  return entry.name ?? entry.location ?? entry.ip_range ?? entry.id ?? entry.type
}

/** A misspelt field would change nothing, and nobody would see it. */
function refuseUnknown(schema: TSchema, value: unknown, path: string): void {
  const part = IsUnion(schema) ? schema.anyOf.at(-1)! : schema
  if (IsArray(part) && Array.isArray(value)) {
    for (const [index, item] of value.entries()) refuseUnknown(part.items, item, `${path}[${index}]`)
  }
  if (!IsObject(part) || !isFields(value)) return
  for (const [field, inner] of Object.entries(value)) {
    const at = path === '' ? field : `${path}.${field}`
    const known = part.properties[field]
    if (!known) fail(at, 'unknown field')
    refuseUnknown(known, inner, at)
  }
}

/** The fields of `base`, with those of `given` in their place; lists and `pricing` are extended themselves. */
function extended(base: Fields, given: Fields, path: string): Fields {
  const fields = Object.entries(given).map(([field, value]) => {
    return [field, extendedValue(base[field], value, path === '' ? field : `${path}.${field}`)]
  })
  return { ...base, ...Object.fromEntries(fields) }
}

function extendedValue(base: unknown, given: unknown, path: string): unknown {
  if (path === 'pricing' && isFields(base) && isFields(given)) return extended(base, given, path)
  return Array.isArray(given) ? extendedList(Array.isArray(base) ? base : [], given, path) : given
}

function extendedList(base: readonly Fields[], given: readonly unknown[], path: string): readonly unknown[] {
  const result: unknown[] = [...base]
  const changedBy = new Map<number, string>()
  for (const [index, entry] of given.entries()) {
    const at = `${path}[${index}]`
    if (!isFields(entry)) fail(at, 'must be object')
    const place = placeOf(base, entry, at)
    const value = extended(place === undefined ? {} : base[place]!, entry, at)
    if (place === undefined) {
      result.push(value)
      continue
    }
    if (changedBy.has(place)) fail(at, `changes the same entry as ${changedBy.get(place)}`)
    changedBy.set(place, at)
    result[place] = value
  }
  return result
}

/** The place of the entry that another one changes; undefined for a new one. */
function placeOf(base: readonly Fields[], entry: Fields, at: string): number | undefined {
  const list = /(\w+)\[\d+\]$/.exec(at)![1]!
  const keys = ['id', ...(keysOf[list] ?? ['name'])].filter((key) => key in entry)
  if (keys.length === 0) fail(at, 'does not say which entry it is')
  const sought = keys[0] === 'id' ? ['id'] : keys
  const places = base.flatMap((one, place) => (sought.every((key) => one[key] === entry[key]) ? [place] : []))
  if (places.length > 1) fail(at, 'can be any of several entries: the id says which')
  const [place] = places
  if (place === undefined) return undefined
  // An id that was meant to be a new one must not change what has it already.
  const other = keys.find((key) => base[place]![key] !== entry[key])
  if (other !== undefined)
    fail(`${at}.${other}`, `the one with id ${entry.id} has ${JSON.stringify(base[place]![other])}`)
  return place
}
