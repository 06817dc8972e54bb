/** Names in place of ids: what stands in files is turned into bodies, and bodies into what stands in files. */
import type { TSchema } from 'typebox'
import type { References, Referred } from '../../kernel/contract/references.ts'
import type { Fields } from '../../kernel/resource/seed.ts'
import { ownTypes, type SeedKind, soleReference, withoutNull } from './kinds.ts'

/** A field of an entry that names another resource. */
export interface Reference {
  /** Such as `.networks[0].network`. */
  readonly field: string
  readonly types: readonly string[]
  /** True when it may also be a name of the catalogue. */
  readonly isLoose: boolean
  readonly name: string
}

interface Walk {
  readonly refers: References
  /** Makes of a reference what stands in its place. */
  turn(value: unknown, field: string, referred: Referred): unknown
  /** True to make bodies, false to make what stands in files. */
  readonly toBody: boolean
}

interface Spot {
  readonly schema: TSchema
  /** The path by which references know it, such as `.networks[].network`. */
  readonly path: string
  readonly field: string
}

function turned(walk: Walk, { schema: given, path, field }: Spot, value: unknown): unknown {
  if (value === null || value === undefined) return value
  const schema = withoutNull(given)
  const referred = walk.refers[path]
  if (referred && ownTypes(referred)) return walk.turn(value, field, referred)
  const sole = soleReference(schema, walk.refers, path)
  if (sole !== undefined) {
    const own = walk.refers[`${path}.${sole}`]!
    if (walk.toBody) return { [sole]: walk.turn(value, field, own) }
    return walk.turn((value as Fields)[sole], field, own)
  }
  const { items, properties } = schema as { items?: TSchema; properties?: Readonly<Record<string, TSchema>> }
  if (items && Array.isArray(value))
    return value.map((one, at) => turned(walk, { schema: items, path: `${path}[]`, field: `${field}[${at}]` }, one))
  if (!properties || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      const inner = properties[name]
      const place = inner && { schema: inner, path: `${path}.${name}`, field: `${field}.${name}` }
      return [name, place ? turned(walk, place, one) : one]
    }),
  )
}

const placeOf = ({ fields }: SeedKind): Spot => ({ schema: fields, path: '', field: '' })

/** The references of an entry as it stands in a file. */
export function referencesIn(kind: SeedKind, entry: Fields): Reference[] {
  const found: Reference[] = []
  const turn = (value: unknown, field: string, referred: Referred) => {
    const types = ownTypes(referred)!
    if (typeof value === 'string') found.push({ field, types, isLoose: referred.names === 'catalogue', name: value })
    return value
  }
  turned({ refers: kind.refers, turn, toBody: true }, placeOf(kind), entry)
  return found
}

/** An entry with ids in place of names. `idOf` has the id of everything that the entry refers to, but for the catalogue. */
export function withIds(
  kind: SeedKind,
  entry: Fields,
  idOf: (types: readonly string[], name: string) => unknown,
): Fields {
  const turn = (value: unknown, _: string, referred: Referred) =>
    typeof value === 'string' ? (idOf(ownTypes(referred)!, value) ?? value) : value
  return turned({ refers: kind.refers, turn, toBody: true }, placeOf(kind), entry) as Fields
}

/** An entry with names in place of ids; null for those that nobody knows. */
export function withNames(
  kind: SeedKind,
  entry: Fields,
  nameOf: (types: readonly string[], id: number) => string | null,
): Fields {
  const turn = (value: unknown, _: string, referred: Referred) =>
    typeof value === 'number' ? nameOf(ownTypes(referred)!, value) : value
  return turned({ refers: kind.refers, turn, toBody: false }, placeOf(kind), entry) as Fields
}
