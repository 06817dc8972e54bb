/** Plans what has to be done for a file: everything that can be checked is checked here, before anything is made. */
import { type TSchema, Type } from 'typebox'
import { bodyCheck } from '../../kernel/contract/input.ts'
import type { Problem } from '../../kernel/errors.ts'
import type { Fields } from '../../kernel/resource/seed.ts'
import { type Difference, difference } from './compare.ts'
import { allKinds, type SeedKind } from './kinds.ts'
import { type Reference, referencesIn } from './names.ts'
import type { Present, Resource } from './present.ts'

export interface GivenToken {
  readonly name: string
  readonly token: string
  readonly read_only?: boolean
}

export interface GivenProject {
  readonly name: string
  readonly tokens?: readonly GivenToken[]
  readonly [path: string]: unknown
}

/** A resource that a file describes. */
export interface SeedEntry {
  readonly kind: SeedKind
  readonly name: string
  /** Its place in the file, such as `projects[0].servers[1]`. */
  readonly field: string
  readonly given: Fields
  readonly references: readonly Reference[]
}

/** The work that there is in a Project. */
export interface Plan {
  /** Resources to make, those of a level after all of the levels before. */
  readonly levels: readonly (readonly SeedEntry[])[]
  /** Resources that are there, with what differs. */
  readonly known: readonly { readonly entry: SeedEntry; readonly resource: Resource; readonly difference: Difference }[]
  readonly problems: readonly Problem[]
}

const mostOfKind = 5_000
const mostProjects = 100

function fileSchema() {
  const ofKinds = allKinds().map(({ path, schema }) => [
    path,
    Type.Optional(Type.Array(schema, { maxItems: mostOfKind })),
  ])
  const Token = Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: 255 }),
      token: Type.String({ maxLength: 255 }),
      read_only: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  )
  const properties: Record<string, TSchema> = {
    name: Type.String({ minLength: 1, maxLength: 255 }),
    tokens: Type.Optional(Type.Array(Token, { maxItems: 100 })),
    ...(Object.fromEntries(ofKinds) as Record<string, TSchema>),
  }
  const Project = Type.Object(properties, { additionalProperties: false })
  return Type.Object(
    { projects: Type.Array(Project, { minItems: 1, maxItems: mostProjects }) },
    { additionalProperties: false },
  )
}

const checks = new Map<string, ReturnType<typeof bodyCheck>>()

/** The Projects of a file. Errors: `invalid_input` by field. */
export function projectsIn(value: unknown, vendor: string): readonly GivenProject[] {
  const check = checks.get(vendor) ?? bodyCheck(fileSchema(), vendor)
  checks.set(vendor, check)
  check(value)
  return (value as { readonly projects: readonly GivenProject[] }).projects
}

const keyOf = (type: string, name: string) => `${type} ${name}`

/** Plans a Project of a file, whose place is `at`. */
export function planProject(project: GivenProject, at: string, present: Present): Plan {
  const problems: Problem[] = []
  const entries = entriesOf(project, at)
  const named = new Map<string, SeedEntry>()
  for (const entry of entries) {
    const key = keyOf(entry.kind.type, entry.name)
    const other = named.get(key)
    if (other) problems.push({ field: `${entry.field}.name`, message: `is the name of ${other.field}, too` })
    else named.set(key, entry)
  }
  const there = new Map(present.resources.map((one) => [keyOf(one.kind.type, one.name), one]))
  for (const { field, references } of entries)
    for (const { field: within, types, name, isLoose } of references) {
      const isKnown = types.some((type) => named.has(keyOf(type, name)) || there.has(keyOf(type, name)))
      if (!isKnown && !isLoose)
        problems.push({ field: field + within, message: `names no ${types.join(' or ')} of the file or the Project` })
    }
  const resourceOf = ({ kind, name }: SeedEntry) => there.get(keyOf(kind.type, name))
  const known = entries.flatMap((entry) => {
    const resource = resourceOf(entry)
    return resource ? [{ entry, resource, difference: difference(entry.kind, entry.given, resource.entry ?? {}) }] : []
  })
  const levels = levelsOf(
    entries.filter((entry) => !resourceOf(entry)),
    problems,
  )
  return { levels, known, problems }
}

function entriesOf(project: GivenProject, at: string): SeedEntry[] {
  return allKinds().flatMap((kind) =>
    ((project[kind.path] ?? []) as readonly Fields[]).map((given, index) => ({
      kind,
      name: given.name as string,
      field: `${at}.${kind.path}[${index}]`,
      given,
      references: [...referencesIn(kind, given), ...needsOf(kind, given)],
    })),
  )
}

function needsOf({ seed }: SeedKind, given: Fields): Reference[] {
  return Object.entries(seed.needs?.(given) ?? {}).flatMap(([type, names]) =>
    names.map((name) => ({ field: '', types: [type], isLoose: true, name })),
  )
}

/** Puts entries behind all that they refer to. */
function levelsOf(entries: readonly SeedEntry[], problems: Problem[]): SeedEntry[][] {
  const levels: SeedEntry[][] = []
  const left = new Map(entries.map((entry) => [keyOf(entry.kind.type, entry.name), entry]))
  const waits = ({ references }: SeedEntry) =>
    references.find(({ types, name }) => types.some((type) => left.has(keyOf(type, name))))
  while (left.size > 0) {
    const level = [...left.values()].filter((entry) => !waits(entry))
    if (level.length === 0) {
      const [entry] = left.values()
      problems.push({ field: entry!.field + waits(entry!)!.field, message: 'is part of a circle of references' })
      return levels
    }
    levels.push(level)
    for (const { kind, name } of level) left.delete(keyOf(kind.type, name))
  }
  return levels
}
