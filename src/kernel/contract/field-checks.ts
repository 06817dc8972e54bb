/**
 * Checks of fields that a schema does not make, or not in time: labels, whose problems are told in words of their own, and
 * lengths, which come before anything that takes longer the longer a field is.
 */
import type { Problem } from '../errors.ts'
import { parseLabels } from './labels.ts'

/** Finds problems with a value, whose fields are named as seen from it: it is the empty one itself. */
export type FieldCheck = (value: unknown) => readonly Problem[]

/** The parts of a schema that lead to its fields, with their bounds and what may be left out. */
export interface Shape {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: unknown
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
  readonly required?: readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly maxLength?: number
  readonly maxItems?: number
  readonly maxProperties?: number
}

export const unknownField = 'unknown field'

const none: readonly Problem[] = []

/** Adds problems to a list, which is made for the first of them: nearly all values are right. */
function added(problems: Problem[] | undefined, some: Iterable<Problem>): Problem[] {
  const all = problems ?? []
  all.push(...some)
  return all
}

/** Problems with what is in a value at a place, such as `name` or `[0]`, as seen from the value. */
function* at(place: string, problems: readonly Problem[]): Generator<Problem> {
  for (const { field, ...rest } of problems) {
    yield { field: place + (field === '' || field.startsWith('[') ? field : `.${field}`), ...rest }
  }
}

/**
 * Applies `checkOf` to every field of a schema, at any depth; undefined when it checks none of them. What is within a
 * field that has a problem is not looked at.
 */
function everyField(
  shape: Shape,
  checkOf: (shape: Shape, name: string) => FieldCheck | undefined,
  name = '',
): FieldCheck | undefined {
  const own = checkOf(shape, name)
  const { properties = {}, items, anyOf = [] } = shape
  const ofFields = Object.entries(properties).flatMap(([key, one]) => {
    const check = everyField(one, checkOf, key)
    return check ? [{ key, check }] : []
  })
  const ofItems = items && everyField(items, checkOf)
  const ofMembers = anyOf.flatMap((one) => everyField(one, checkOf, name) ?? [])
  if (!own && !ofItems && ofFields.length + ofMembers.length === 0) return undefined
  return (value) => {
    const found = own?.(value) ?? none
    if (found.length > 0) return found
    let problems: Problem[] | undefined
    for (const check of ofMembers) {
      const some = check(value)
      if (some.length > 0) problems = added(problems, some)
    }
    if (typeof value !== 'object' || value === null) return problems ?? none
    // There may be many thousand values, so that the name of one is only made when something is wrong with it.
    if (!Array.isArray(value)) {
      const fields = value as Record<string, unknown>
      for (const { key, check } of ofFields) {
        const some = check(fields[key])
        if (some.length > 0) problems = added(problems, at(key, some))
      }
    } else if (ofItems) {
      for (let index = 0; index < value.length; index++) {
        const some = ofItems(value[index])
        if (some.length > 0) problems = added(problems, at(`[${index}]`, some))
      }
    }
    return problems ?? none
  }
}

/** Checks all labels in a body (spec: Labels). The schema refuses values of any other shape. */
export function labelCheck(schema: Shape, vendor: string): FieldCheck | undefined {
  return everyField(schema, ({ type }, name) => (name === 'labels' && type === 'object' ? checkLabels : undefined))

  function checkLabels(labels: unknown): readonly Problem[] {
    if (typeof labels !== 'object' || labels === null || Array.isArray(labels)) return none
    const result = parseLabels(labels, { vendor })
    return result.ok ? none : result.problems.map(({ path: _, ...rest }) => ({ field: '', ...rest }))
  }
}

/** Longer than any field is called. */
const maxFieldName = 80
/** An object with more unknown fields is refused for them alone. */
const mostUnknown = 20

/** Reports that the value itself has more than it may. */
const tooMany = (most: number, what: string): readonly Problem[] => [
  { field: '', message: `must not have more than ${most} ${what}`, isLimit: true },
]

/**
 * Checks how long texts, lists, maps and names of fields are, and how many fields there are besides those of the schema.
 */
export function lengthCheck(schema: Shape): FieldCheck | undefined {
  return everyField(schema, (shape) => textCheck(shape) ?? listCheck(shape) ?? mapCheck(shape) ?? nameCheck(shape))
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function textCheck({ maxLength: most }: Shape): FieldCheck | undefined {
  if (most === undefined) return undefined
  return (value) => (typeof value === 'string' && hasMoreCharacters(value, most) ? tooMany(most, 'characters') : none)
}

/** Tells whether a text has more code points than `most`. */
export function hasMoreCharacters(text: string, most: number): boolean {
  if (text.length <= most) return false
  if (text.length > 2 * most) return true
  let count = 0
  for (let at = 0; at < text.length && count <= most; count++) at += text.codePointAt(at)! > 0xffff ? 2 : 1
  return count > most
}

function listCheck({ maxItems: most }: Shape): FieldCheck | undefined {
  if (most === undefined) return undefined
  return (value) => (Array.isArray(value) && value.length > most ? tooMany(most, 'items') : none)
}

function mapCheck({ maxProperties: most }: Shape): FieldCheck | undefined {
  if (most === undefined) return undefined
  return (value) => (isMap(value) && Object.keys(value).length > most ? tooMany(most, 'properties') : none)
}

function nameCheck({ properties, additionalProperties }: Shape): FieldCheck | undefined {
  if (!properties || additionalProperties !== false) return undefined
  return (value) => {
    if (!isMap(value)) return none
    const isKnown = (name: string) => Object.hasOwn(properties, name)
    const names = Object.keys(value)
    if (names.every(isKnown)) return none
    const unknown = names.filter((name) => !isKnown(name))
    const isPlain = unknown.length <= mostUnknown && unknown.every((name) => name.length <= maxFieldName)
    if (isPlain) return none
    return unknown.slice(0, mostUnknown).map((name) => ({ field: name.slice(0, maxFieldName), message: unknownField }))
  }
}

/**
 * A schema without the lengths that `lengthCheck` looks after. The library counts what readers take for one character,
 * with all marks that are combined with it, so that a text within its bound may have any number of bytes.
 */
export function withoutTextLengths<T extends object>(schema: T): T {
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    key === 'maxLength' && typeof value === 'number' ? undefined : value,
  )
}
