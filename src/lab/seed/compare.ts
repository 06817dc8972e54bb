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
  /** Fields that a PUT gives other values, with those they have. */
  readonly changed: Fields
  readonly before: Fields
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

function missing(part: Part, wanted: unknown, there: unknown): Addition[] {
  const keys = part.each!
  const key = (one: Fields) => JSON.stringify(keys.map((name) => one[name] ?? null))
  const known = new Set(((there ?? []) as readonly Fields[]).map(key))
  return ((wanted ?? []) as readonly Fields[]).flatMap((value, at) =>
    known.has(key(value)) ? [] : [{ part, value, field: `.${part.name}[${at}]` }],
  )
}

/** Compares an entry with that of the resource of its name. What replies never show is not compared. */
export function difference(kind: SeedKind, wanted: Fields, there: Fields): Difference {
  const changeable = kind.update?.endpoint.body?.properties ?? {}
  const parts = new Map(kind.parts.map((part) => [part.name, part]))
  const changed: Record<string, unknown> = {}
  const before: Record<string, unknown> = {}
  const added: Addition[] = []
  const left: string[] = []
  for (const [name, value] of Object.entries(wanted)) {
    if (name === 'name' || !(name in there)) continue
    const part = parts.get(name)
    if (part?.each) added.push(...missing(part, value, there[name]))
    const isLike = part?.when
      ? part.when(value as boolean) === part.when((there[name] ?? undefined) as boolean | undefined)
      : holds(there[name], value)
    if (name in changeable && !isSame(there[name], value)) {
      changed[name] = value
      before[name] = there[name]
    } else if (!(name in changeable) && !isLike && !(part?.each && added.some((one) => one.part === part)))
      left.push(name)
  }
  return { changed, before, added, left }
}
