/** Reads all resources of a Project of which seed files can tell. */
import type { Fields, SeedView } from '../../kernel/resource/seed.ts'
import { type Access, isMissing, paramsOf, readAll, strange } from './access.ts'
import { allKinds, type SeedKind } from './kinds.ts'
import { withNames } from './names.ts'

export interface Resource {
  readonly kind: SeedKind
  readonly id: number
  /** The name in files, which no other one of its kind has. */
  readonly name: string
  /** The resource as replies show it. */
  readonly shown: Fields
  /** Its entry, still with what is null, empty or usual; undefined where it stands in no file. */
  readonly entry: Fields | undefined
  /** Remarks about what the entry does not tell. */
  readonly remarks: readonly string[]
  /** True when secrets are missing, without which it cannot be made again. */
  readonly isIncomplete: boolean
}

export interface Present {
  readonly resources: readonly Resource[]
  /** Kinds that could not be read, with the reason. */
  readonly unread: readonly { readonly kind: SeedKind; readonly reason: string }[]
}

interface Shown {
  readonly kind: SeedKind
  readonly shown: Fields
}

async function shownOf(access: Access, kind: SeedKind): Promise<Shown[]> {
  const all = await readAll(access, kind.list, kind.seed.filter ? { query: kind.seed.filter } : {})
  const found: Shown[] = []
  for (const one of all) {
    const { id, name } = one
    if (!Number.isSafeInteger(id) || typeof (name ?? '') !== 'string')
      throw strange(`${kind.list.endpoint.path} has an entry without an id, or with a name that is no text`)
    const more: Record<string, readonly Fields[]> = {}
    for (const { field, operation, when } of kind.more)
      if (when(one)) more[field] = await readAll(access, operation, { params: paramsOf(operation, one.id) })
    found.push({ kind, shown: { ...one, ...more } })
  }
  return found
}

/** Reads a Project, by GET alone. Errors: `ApiError`, but for what the server does not have. */
export async function readProject(access: Access): Promise<Present> {
  const found: Shown[] = []
  const unread: { kind: SeedKind; reason: string }[] = []
  for (const kind of allKinds()) {
    try {
      found.push(...(await shownOf(access, kind)))
    } catch (error) {
      if (!isMissing(error)) throw error
      unread.push({ kind, reason: error.message })
    }
  }
  return { resources: resourcesOf(found), unread }
}

/** A resource that is not understood is not taken for implied. */
function isImplied({ kind, shown }: Shown): boolean {
  try {
    return kind.seed.isImplied?.(shown) ?? false
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return false
  }
}

const keyOf = (type: string, id: unknown) => `${type} ${id}`

function resourcesOf(found: readonly Shown[]): Resource[] {
  const names = namesOf(found)
  const all = new Map(found.map((one) => [keyOf(one.kind.type, one.shown.id), one]))
  const has = (type: string, id: unknown) => {
    const one = all.get(keyOf(type, id))
    return one !== undefined && !isImplied(one)
  }
  const nameOf = (types: readonly string[], id: number) =>
    types.map((type) => names.get(keyOf(type, id))).find((name) => name !== undefined) ?? null
  return found.map((one) => {
    const { kind, shown } = one
    const name = names.get(keyOf(kind.type, shown.id))!
    const remarks: string[] = []
    const remark = (text: string) => void remarks.push(text)
    const secrets: string[] = []
    const secret = (field: string) => void secrets.push(field)
    const entry = isImplied(one) ? undefined : entryOf(one, { remark, secret, has }, nameOf)
    remarks.push(...secrets.map((field) => `${field}: left out, because it is a secret`))
    return { kind, id: shown.id, name, shown, entry, remarks, isIncomplete: secrets.length > 0 }
  })
}

/** The entry of a resource. Servers of others may show it in another form, which is remarked on. */
function entryOf(
  { kind, shown }: Shown,
  view: SeedView,
  nameOf: (types: readonly string[], id: number) => string | null,
) {
  try {
    return ordered(kind, withNames(kind, kind.seed.entry(shown, view), nameOf))
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    view.remark(`left out, because it is not understood: ${error.message}`)
    return undefined
  }
}

/** Names by type and id. Where several of a kind have the same one, the later ones have a number behind it. */
function namesOf(found: readonly Shown[]): Map<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const { kind, shown } of found.toSorted((a, b) => a.shown.id - b.shown.id)) {
    const given = String(shown[kind.seed.naming ?? 'name'] ?? '') || `${kind.type}-${shown.id}`
    let name = given
    for (let count = 2; taken.has(`${kind.type} ${name}`); count++) name = `${given} (${count})`
    taken.add(`${kind.type} ${name}`)
    names.set(keyOf(kind.type, shown.id), name)
  }
  return names
}

/** Lists whose order means nothing have one that does not depend on when things were made. */
function ordered({ parts }: SeedKind, entry: Fields): Fields {
  const sets = new Map(parts.flatMap(({ name, each }) => (each ? [[name, each] as const] : [])))
  return Object.fromEntries(
    Object.entries(entry).map(([name, value]) => {
      const keys = sets.get(name)
      if (!keys || !Array.isArray(value)) return [name, value]
      const key = (one: Fields) => JSON.stringify(keys.map((field) => one[field] ?? null))
      return [name, value.toSorted((a: Fields, b: Fields) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0))]
    }),
  )
}
