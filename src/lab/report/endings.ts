/** Types, images and other entries of the catalogue in use that are deprecated. */
import type { Endpoint } from '../../kernel/contract/contract.ts'
import { cataloguedType, valuesAt } from '../../kernel/contract/references.ts'
import type { Family } from '../../platform.ts'

type CatalogueEntry = ReturnType<Family['entries']>[number]

/** A field of a request that names a deprecated entry. */
export interface Ending {
  readonly field: string
  /** The kind of the entry, as in `server type`. */
  readonly title: string
  readonly name: string
  readonly sinceMs: number
  /** The last moment at which it can be had. */
  readonly stopsMs: number
}

/** Tells what a body names that was deprecated at a time, in milliseconds since the epoch. */
export type EndingsOf = (endpoint: Endpoint, body: unknown, nowMs: number) => readonly Ending[]

/** The deprecated entries of a type, by their names and ids. Several may share a name, such as images. */
interface Ends {
  readonly title: string
  readonly entries: ReadonlyMap<string, readonly CatalogueEntry[]>
}

/** Contracts say which field names what, and families which entries of the catalogue these are. */
export function endingsIn(families: readonly Family[], catalogue: Parameters<Family['entries']>[0]): EndingsOf {
  const kinds = new Map(
    families.map(({ spelling: { type, title }, entries }) => [type, { title, entries: byKey(entries(catalogue)) }]),
  )
  return ({ refers = {} }, body, nowMs) =>
    Object.entries(refers).flatMap(([field, referred]) => {
      const kind = kinds.get(cataloguedType(referred) ?? '')
      if (!kind || kind.entries.size === 0) return []
      return valuesAt(body, field).flatMap(({ value }) => endingOf(kind, field, { value, body, nowMs }) ?? [])
    })
}

function byKey(entries: readonly CatalogueEntry[]): Ends['entries'] {
  const isEnding = ({ deprecation, locations = [] }: CatalogueEntry) =>
    [deprecation, ...locations.map((location) => location.deprecation)].some((one) => one !== null)
  const ending = new Set(entries.filter(isEnding).map(({ name }) => name))
  const kept = entries.filter(({ name }) => ending.has(name))
  return new Map<string, readonly CatalogueEntry[]>([
    ...kept.map((entry) => [String(entry.id), [entry]] as const),
    ...Map.groupBy(kept, ({ name }) => name),
  ])
}

interface Mention {
  readonly value: unknown
  readonly body: unknown
  readonly nowMs: number
}

/** The name or the id that a field has; bodies that were refused may have anything in its place. */
function keyOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** What has a name can be had until the last entry of that name goes. */
function endingOf({ title, entries }: Ends, field: string, { value, body, nowMs }: Mention): Ending | undefined {
  const named = entries.get(keyOf(value)) ?? []
  const dates = named.flatMap((entry) => deprecationAt(entry, body) ?? [])
  const sinceMs = Math.max(...dates.map(({ announced }) => Date.parse(announced)))
  if (dates.length === 0 || dates.length < named.length || nowMs < sinceMs) return undefined
  const stopsMs = Math.max(...dates.map(({ unavailable_after: until }) => Date.parse(until)))
  return { field, title, name: named[0]!.name, sinceMs, stopsMs }
}

/** The deprecation in the location that a body asks for; a body without one has that of all locations. */
function deprecationAt({ deprecation, locations = [] }: CatalogueEntry, body: unknown): CatalogueEntry['deprecation'] {
  const asked = keyOf((body as { readonly location?: unknown }).location)
  const place = locations.find(({ id, name }) => name === asked || String(id) === asked)
  return place ? place.deprecation : deprecation
}
