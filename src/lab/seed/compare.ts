/** Compares entries of seed files with what a Project has already. */
import type { Fields } from '../../kernel/resource/seed.ts'
import type { Part, SeedKind } from './kinds.ts'

/** Elements of a list of an entry that are not there yet. */
export interface Addition {
  readonly part: Part
  /** The element as it stands in the file, and its place, such as `.subnets[1]`. */
  readonly value: unknown
  readonly field: string
}

export interface Difference {
  /** Fields that a PUT gives other values. */
  readonly changed: Fields
  readonly added: readonly Addition[]
  /** Fields that stay as they are, because no PUT changes them. */
  readonly left: readonly string[]
}

/** Null, nothing, no and what is empty all say that there is none of it. */
function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return true
  return typeof value === 'object' && Object.values(value).every(isNothing)
}

/** Tells whether all that is wanted is there; what else is there makes no difference. */
function holds(there: unknown, wanted: unknown): boolean {
  if (isNothing(wanted) && isNothing(there)) return true
  if (typeof wanted === 'string' && typeof there === 'string') return wanted.trim() === there.trim()
  if (typeof wanted !== 'object' || typeof there !== 'object' || wanted === null || there === null)
    return wanted === there
  if (Array.isArray(wanted))
    return Array.isArray(there) && wanted.every((one) => there.some((other) => holds(other, one)))
  return Object.entries(wanted).every(([name, one]) => holds((there as Fields)[name], one))
}

const isSame = (one: unknown, other: unknown) => holds(one, other) && holds(other, one)

/** The elements that a list lacks, and the places of those that it has with other values. */
function compareLists(part: Part, wanted: unknown, there: unknown) {
  const key = (one: Fields) => JSON.stringify(part.each!.map((name) => one[name] ?? null))
  const known = Map.groupBy((there ?? []) as readonly Fields[], key)
  const added: Addition[] = []
  const left: string[] = []
  for (const [at, value] of ((wanted ?? []) as readonly Fields[]).entries()) {
    const others = known.get(key(value))
    const place = `${part.name}[${at}]`
    if (!others) added.push({ part, value, field: `.${place}` })
    else if (!others.some((other) => holds(other, value))) left.push(place)
  }
  return { added, left }
}

function isLike(part: Part | undefined, there: unknown, wanted: unknown): boolean {
  const done = (value: unknown) => part!.when!((value ?? undefined) as boolean | undefined)
  return part?.when ? done(there) === done(wanted) : holds(there, wanted)
}

/** Compares an entry with that of the resource of its name. What replies never show is not compared. */
export function difference(kind: SeedKind, wanted: Fields, there: Fields): Difference {
  const changeable = kind.update?.endpoint.body?.properties ?? {}
  const parts = new Map(kind.parts.map((part) => [part.name, part]))
  const changed: Record<string, unknown> = {}
  const added: Addition[] = []
  const left: string[] = []
  for (const [name, value] of Object.entries(wanted)) {
    if (name === 'name' || value === null || !(name in there)) continue
    const part = parts.get(name)
    if (part?.each) {
      const lists = compareLists(part, value, there[name])
      added.push(...lists.added)
      left.push(...lists.left)
    } else if (name in changeable) {
      if (!isSame(there[name], value)) changed[name] = value
    } else if (!isLike(part, there[name], value)) left.push(name)
  }
  return { changed, added, left }
}
