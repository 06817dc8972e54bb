/** Fields of a form from the schema of a request, for the page that can make any request. */

/** The part of JSON Schema that requests of the API use. */
export interface RequestSchema {
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly (string | number)[]
  readonly const?: string | number
  readonly anyOf?: readonly RequestSchema[]
  readonly properties?: Readonly<Record<string, RequestSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | RequestSchema
  readonly patternProperties?: Readonly<Record<string, RequestSchema>>
  readonly items?: RequestSchema
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly pattern?: string
}

interface Common {
  readonly isNullable: boolean
  readonly description: string | undefined
}

/** The input that a form takes at one place. */
export type Field = Common &
  (
    | { readonly kind: 'text'; readonly least: number; readonly most: number | undefined; readonly pattern?: string }
    | { readonly kind: 'integer' | 'number'; readonly min: number | undefined; readonly max: number | undefined }
    | { readonly kind: 'boolean' }
    | { readonly kind: 'choice'; readonly options: readonly (string | number)[] }
    | { readonly kind: 'either'; readonly options: readonly Field[] }
    | { readonly kind: 'list'; readonly item: Field; readonly least: number; readonly most: number | undefined }
    | { readonly kind: 'map'; readonly value: Field }
    | { readonly kind: 'object'; readonly fields: readonly NamedField[]; readonly isOpen: boolean }
    | { readonly kind: 'json' }
  )

interface NamedField {
  readonly name: string
  readonly isRequired: boolean
  readonly field: Field
}

/** The field for a schema. */
export function fieldOf(schema: RequestSchema): Field {
  const { anyOf } = schema
  if (anyOf) {
    const options = anyOf.filter(({ type }) => type !== 'null')
    const isNullable = options.length < anyOf.length
    const { description } = schema
    if (options.length === 1) {
      const own = fieldOf(options[0]!)
      return { ...own, isNullable, description: description ?? own.description }
    }
    return { kind: 'either', options: options.map(fieldOf), isNullable, description }
  }
  return plainField(schema, { isNullable: schema.type === 'null', description: schema.description })
}

function plainField(schema: RequestSchema, common: Common): Field {
  const { type, properties, required = [], additionalProperties, patternProperties } = schema
  if (schema.enum) return { ...common, kind: 'choice', options: schema.enum }
  if (schema.const !== undefined) return { ...common, kind: 'choice', options: [schema.const] }
  if (type === 'boolean') return { ...common, kind: 'boolean' }
  if (type === 'integer' || type === 'number')
    return { ...common, kind: type, min: schema.minimum, max: schema.maximum }
  if (type === 'string') {
    const { minLength: least = 0, maxLength: most, pattern } = schema
    return { ...common, kind: 'text', least, most, ...(pattern === undefined ? {} : { pattern }) }
  }
  if (type === 'array') {
    const { minItems: least = 0, maxItems: most, items = {} } = schema
    return { ...common, kind: 'list', item: fieldOf(items), least, most }
  }
  if (type !== 'object') return { ...common, kind: 'json' }
  const [value] = Object.values(patternProperties ?? {})
  const open = value ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
  if (!properties && open) return { ...common, kind: 'map', value: fieldOf(open) }
  const fields = Object.entries(properties ?? {}).map(([name, one]) => ({
    name,
    isRequired: required.includes(name),
    field: fieldOf(one),
  }))
  return { ...common, kind: 'object', fields, isOpen: additionalProperties !== false }
}

/** A problem of a value, by the code of its reason; pages have the words. */
export interface Problem {
  /** Such as `rules[0].port`; empty for the value itself. */
  readonly at: string
  readonly code: 'type' | 'required' | 'unknown' | 'option' | 'least' | 'most' | 'short' | 'long' | 'pattern'
  /** The limit that it is beyond. */
  readonly limit?: number
}

/** Returns what a field would refuse of a value; nothing when the API's schema takes it. */
export function problemsOf(field: Field, value: unknown, at = ''): Problem[] {
  if (value === null && field.isNullable) return []
  const wrong = (code: Problem['code'], limit?: number): Problem[] => [
    { at, code, ...(limit === undefined ? {} : { limit }) },
  ]
  switch (field.kind) {
    case 'boolean':
      return typeof value === 'boolean' ? [] : wrong('type')
    case 'choice':
      return field.options.some((option) => option === value) ? [] : wrong('option')
    case 'integer':
    case 'number': {
      const isNumber = field.kind === 'integer' ? Number.isInteger(value) : Number.isFinite(value)
      if (!isNumber) return wrong('type')
      if (field.min !== undefined && (value as number) < field.min) return wrong('least', field.min)
      return field.max !== undefined && (value as number) > field.max ? wrong('most', field.max) : []
    }
    case 'text':
      return typeof value === 'string'
        ? wrongText(field, value).flatMap(([code, limit]) => wrong(code, limit))
        : wrong('type')
    case 'either': {
      const all = field.options.map((option) => problemsOf(option, value, at))
      return all.some((problems) => problems.length === 0) ? [] : (all.at(-1) ?? wrong('type'))
    }
    case 'json':
      return value === undefined ? wrong('required') : []
    default:
      return problemsInside(field, value, at)
  }
}

function wrongText(
  { least, most, pattern }: Extract<Field, { kind: 'text' }>,
  value: string,
): (readonly [Problem['code'], number?])[] {
  // Schemas count characters, not the halves of them that strings have.
  const length = [...value].length
  if (length < least) return [['short', least]]
  if (most !== undefined && length > most) return [['long', most]]
  return pattern !== undefined && !new RegExp(pattern, 'u').test(value) ? [['pattern']] : []
}

function problemsInside(
  field: Extract<Field, { kind: 'list' | 'map' | 'object' }>,
  value: unknown,
  at: string,
): Problem[] {
  if (field.kind === 'list') {
    if (!Array.isArray(value)) return [{ at, code: 'type' }]
    const { least, most } = field
    if (value.length < least) return [{ at, code: 'short', limit: least }]
    if (most !== undefined && value.length > most) return [{ at, code: 'long', limit: most }]
    return value.flatMap((one, index) => problemsOf(field.item, one, `${at}[${index}]`))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [{ at, code: 'type' }]
  const inside = (name: string) => (at === '' ? name : `${at}.${name}`)
  const entries = Object.entries(value).filter(([, one]) => one !== undefined)
  if (field.kind === 'map') return entries.flatMap(([name, one]) => problemsOf(field.value, one, inside(name)))
  const given = new Map(entries)
  const known = field.fields.flatMap(({ name, isRequired, field: own }): Problem[] => {
    if (given.has(name)) return problemsOf(own, given.get(name), inside(name))
    return isRequired ? [{ at: inside(name), code: 'required' }] : []
  })
  if (field.isOpen) return known
  const names = new Set(field.fields.map(({ name }) => name))
  const unknown = [...given.keys()].filter((name) => !names.has(name))
  return [...known, ...unknown.map((name): Problem => ({ at: inside(name), code: 'unknown' }))]
}
