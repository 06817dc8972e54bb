/** The kinds of resources in seed files, made of the contract: it says which fields an entry has, and which are names of others. */
import { type TObject, type TSchema, Type } from 'typebox'
import { families } from '../../families.ts'
import type { Endpoint } from '../../kernel/contract/contract.ts'
import type { References, Referred } from '../../kernel/contract/references.ts'
import type { Seed, SeedPart } from '../../kernel/resource/seed.ts'
import type { Family } from '../../platform.ts'

/** An operation of the public API. */
export interface SeedOperation {
  readonly endpoint: Endpoint
  /** The family that has it, and its key there. */
  readonly family: Family
  readonly key: string
}

export interface Part extends SeedPart {
  readonly name: string
  readonly operation: SeedOperation
  readonly undoing: SeedOperation | undefined
}

/** A kind of resource that seed files have. */
export interface SeedKind {
  /** Such as `server`. */
  readonly type: string
  /** Its key in files, such as `servers`. */
  readonly path: string
  readonly seed: Seed
  readonly create: SeedOperation
  readonly list: SeedOperation
  readonly update: SeedOperation | undefined
  readonly remove: SeedOperation
  readonly more: readonly {
    readonly field: string
    readonly operation: SeedOperation
    when(resource: object): boolean
  }[]
  readonly parts: readonly Part[]
  /** The schema of an entry with ids where files have names. */
  readonly fields: TObject
  /** The schema of an entry as it stands in files. */
  readonly schema: TObject
  readonly refers: References
}

/** The operation of a family by its command or its key, whichever family declares it. */
function operationOf(family: Family, name: string): SeedOperation {
  for (const owner of families)
    for (const [key, endpoint] of Object.entries(owner.endpoints)) {
      const isMeant = endpoint.command === name || (owner === family && key === name)
      if (isMeant && endpoint.family === family.name) return { endpoint, family: owner, key }
    }
  throw new Error(`${family.name} has no operation ${name}`)
}

/** The field of a reference's body that names one of a Project's own resources. */
export function ownTypes(referred: Referred | undefined): readonly string[] | undefined {
  return referred && typeof referred.of !== 'string' ? referred.of : undefined
}

const Name = Type.String({ minLength: 1, maxLength: 255 })

/** The one field of an object that is nothing but a reference, such as `{ id }`; in files its name stands for it. */
export function soleReference(schema: TSchema, refers: References, path: string): string | undefined {
  const names = Object.keys((schema as TObject).properties ?? {})
  return names.length === 1 && ownTypes(refers[`${path}.${names[0]}`]) ? names[0] : undefined
}

/** The member of a union with null that is not null. */
export function withoutNull(schema: TSchema): TSchema {
  const members = (schema as { readonly anyOf?: readonly TSchema[] }).anyOf?.filter(
    (one) => (one as { readonly type?: string }).type !== 'null',
  )
  return members?.length === 1 ? members[0]! : schema
}

/** Says so of what a body only tolerates; files have none of it. */
const isForOlderClients = (schema: TSchema) =>
  `${(withoutNull(schema) as { readonly description?: string }).description}`.startsWith('Ignored')

/** The schema of what stands in files in place of what a body has. */
function named(schema: TSchema, refers: References, path: string): TSchema {
  const inner = withoutNull(schema)
  const isOptional = '~optional' in schema
  const again = (made: TSchema) => (isOptional ? Type.Optional(made) : made)
  const nullable = (made: TSchema) => again(inner === schema ? made : Type.Union([made, Type.Null()]))
  if (ownTypes(refers[path]) && !refers[path]!.names) return nullable(Name)
  const { items, properties, required } = inner as {
    readonly items?: TSchema
    readonly properties?: Readonly<Record<string, TSchema>>
    readonly required?: readonly string[]
  }
  if (soleReference(inner, refers, path)) return nullable(Name)
  if (items) return nullable({ ...inner, items: named(items, refers, `${path}[]`) } as TSchema)
  if (!properties) return schema
  const fields = Object.entries(properties)
    .filter(([, one]) => !isForOlderClients(one))
    .map(([name, one]) => [name, named(one, refers, `${path}.${name}`)])
  return nullable({ ...inner, properties: Object.fromEntries(fields), required } as unknown as TSchema)
}

function textsOf(element: NonNullable<Part['element']>): TSchema {
  const texts = Object.entries(element).map(([name, rule]) => [name, Type.String({ ...rule })])
  return Type.Object(Object.fromEntries(texts), { additionalProperties: false })
}

/** The schema of a part's value as its operation has it. */
function schemaOf({ operation: { endpoint }, each, element, field, when, name }: Part): TSchema {
  if (when) return Type.Boolean()
  const body = endpoint.body
  if (!body) throw new Error(`${name} is brought about without a body`)
  if (field !== undefined) return body.properties[field]!
  return each ? Type.Array(element ? textsOf(element) : body, { maxItems: 1_000 }) : body
}

/** The references of a part's value, as fields of the entry. */
function referencesOf({ operation: { endpoint }, each, field, name }: Part): [string, Referred][] {
  return Object.entries(endpoint.refers ?? {}).flatMap(([path, referred]): [string, Referred][] => {
    if (field === undefined) return [[`${name}${each ? '[]' : ''}.${path}`, referred]]
    return path === field || /^[[.]/.test(path.slice(field.length)) ? [[name + path.slice(field.length), referred]] : []
  })
}

function kindOf(family: Family, seed: Seed): SeedKind {
  const at = (name: string) => operationOf(family, name)
  const owner = seed.at === undefined ? family : families.find(({ spelling }) => spelling.type === seed.at)!
  const create = operationOf(owner, seed.create ?? 'create')
  const parts = Object.entries(seed.parts ?? {}).map(([name, part]): Part => {
    return { ...part, name, operation: at(part.by), undoing: part.undo === undefined ? undefined : at(part.undo) }
  })
  const { without = [] } = seed
  const body = Object.entries(create.endpoint.body!.properties)
  const own = body.filter(([name]) => !without.includes(name) && !(name in (seed.parts ?? {})))
  const ofOwn = Object.entries(create.endpoint.refers ?? {}).filter(([path]) =>
    own.some(([name]) => name === path.split(/[.[]/, 1)[0]),
  )
  const refers = {
    ...Object.fromEntries(ofOwn.map(([path, to]) => [`.${path}`, to])),
    ...(seed.at === undefined ? {} : { [`.${seed.at}`]: { of: [seed.at] } }),
    ...Object.fromEntries(parts.flatMap(referencesOf).map(([path, to]) => [`.${path}`, to])),
  }
  const ofParts = parts.map((part) => [part.name, Type.Optional(schemaOf(part))] as const)
  const properties: Record<string, TSchema> = {
    ...Object.fromEntries([...own, ...ofParts]),
    ...(seed.at === undefined ? {} : { [seed.at]: Type.Integer() }),
    name: Name,
  }
  const fields = Type.Object(properties, { additionalProperties: false })
  return {
    type: family.spelling.type,
    path: family.name,
    seed,
    create,
    list: at('list'),
    update: family.endpoints.update && at('update'),
    remove: at('remove'),
    more: Object.entries(seed.more ?? {}).map(([field, { by, when = () => true }]) => {
      return { field, operation: at(by), when }
    }),
    parts,
    fields,
    schema: named(fields, refers, '') as TObject,
    refers,
  }
}

let known: readonly SeedKind[] | undefined

/** All kinds, in the order of the families. */
export function allKinds(): readonly SeedKind[] {
  known ??= families.flatMap((family) => (family.seed ? [kindOf(family, family.seed)] : []))
  return known
}

/** The kind of a type of resources. */
export function kindOfType(type: string): SeedKind | undefined {
  return allKinds().find((kind) => kind.type === type)
}
