/**
 * Checks of fields that a schema does not make, or not in time: labels, whose problems are told in words of their own, and
 * lengths, which come before anything that takes longer the longer a field is.
 */
import type { Problem } from '../errors.ts'
import { parseLabels } from './labels.ts'

/** Finds problems with a value. `field` is what the request calls it; empty for the body itself. */
export type FieldCheck = (value: unknown, field: string) => Problem[]

/** The parts of a schema that lead to its fields, and their bounds. */
export interface Shape {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: unknown
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
  readonly maxLength?: number
  readonly maxItems?: number
}

export const unknownField = 'unknown field'

/** The name of a field in another one. */
const below = (field: string, name: string) => (field ? `${field}.${name}` : name)

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
  return (value, field) => {
    const problems = own?.(value, field) ?? []
    if (problems.length > 0) return problems
    for (const check of ofMembers) problems.push(...check(value, field))
    if (typeof value !== 'object' || value === null) return problems
    if (!Array.isArray(value)) {
      const fields = value as Record<string, unknown>
      for (const { key, check } of ofFields) problems.push(...check(fields[key], below(field, key)))
    } else if (ofItems) {
      for (const [index, entry] of value.entries()) problems.push(...ofItems(entry, `${field}[${index}]`))
    }
    return problems
  }
}

/** Checks all labels in a body (spec: Labels). The schema refuses values of any other shape. */
export function labelCheck(schema: Shape, vendor: string): FieldCheck | undefined {
  return everyField(schema, (_, name) => (name === 'labels' ? checkLabels : undefined))

  function checkLabels(labels: unknown, field: string): Problem[] {
    if (typeof labels !== 'object' || labels === null || Array.isArray(labels)) return []
    const result = parseLabels(labels, { vendor })
    return result.ok ? [] : result.problems.map(({ message }) => ({ field, message }))
  }
}

/** Longer than any field is called. */
const maxFieldName = 80
/** An object with more unknown fields is refused for them alone. */
const mostUnknown = 20

/** Checks how long texts, lists and names of fields are, and how many fields there are besides those of the schema. */
export function lengthCheck(schema: Shape): FieldCheck | undefined {
  return everyField(schema, (shape) => textCheck(shape) ?? listCheck(shape) ?? nameCheck(shape))
}

function textCheck({ maxLength: most }: Shape): FieldCheck | undefined {
  if (most === undefined) return undefined
  return (value, field) =>
    typeof value === 'string' && hasMoreCharacters(value, most)
      ? [{ field, message: `must not have more than ${most} characters` }]
      : []
}

/** Whether a text has more code points than that. */
export function hasMoreCharacters(text: string, most: number): boolean {
  if (text.length <= most) return false
  if (text.length > 2 * most) return true
  let count = 0
  for (let at = 0; at < text.length && count <= most; count++) at += text.codePointAt(at)! > 0xffff ? 2 : 1
  return count > most
}

function listCheck({ maxItems: most }: Shape): FieldCheck | undefined {
  if (most === undefined) return undefined
  return (value, field) =>
    Array.isArray(value) && value.length > most ? [{ field, message: `must not have more than ${most} items` }] : []
}

function nameCheck({ properties, additionalProperties }: Shape): FieldCheck | undefined {
  if (!properties || additionalProperties !== false) return undefined
  return (value, field) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
    const unknown = Object.keys(value).filter((name) => !Object.hasOwn(properties, name))
    const isPlain = unknown.length <= mostUnknown && unknown.every((name) => name.length <= maxFieldName)
    if (isPlain) return []
    return unknown.slice(0, mostUnknown).map((name) => ({
      field: below(field, name.slice(0, maxFieldName)),
      message: unknownField,
    }))
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
