/**
 * Replies and schemas as they were on an earlier date (spec: Versioning). Handlers reply in today's shapes; the endpoint's
 * schema says which of its strings are timestamps and which fields came later, so that nothing a caller wrote is taken for
 * either.
 */
import { type TOptional, type TSchema, Type } from 'typebox'
import { type ChangeName, inEffect, startOf } from './changes.ts'

const addedBy = Symbol('added by')
const removedBy = Symbol('removed by')

/** What this module reads of a JSON Schema. */
interface Shape {
  readonly type?: string
  readonly format?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
  readonly required?: readonly string[]
  readonly [addedBy]?: ChangeName
  readonly [removedBy]?: ChangeName
}

/** A field that replies did not have before a dated change; a copy, as the same schema may serve other fields. */
export function since<T extends TSchema>(change: ChangeName, schema: T): T {
  return marked(schema, addedBy, change)
}

/**
 * A field that a dated change took away from replies or bodies: optional, and left out of the reference from that day on.
 * The handler is the one that stops sending or taking it.
 */
export function until<T extends TSchema>(change: ChangeName, schema: T): TOptional<T> {
  return marked(Type.Optional(schema) as TOptional<T>, removedBy, change)
}

function marked<T extends TSchema>(schema: T, mark: symbol, change: ChangeName): T {
  return Object.defineProperties({} as T, { ...Object.getOwnPropertyDescriptors(schema), [mark]: { value: change } })
}

/** A schema with the fields that there are at `nowMs`; a plain value that JSON can hold. */
export function schemaAt(schema: TSchema, nowMs: number): object {
  return withFieldsAt(schema, nowMs) as object
}

function withFieldsAt(value: unknown, nowMs: number): unknown {
  if (Array.isArray(value)) return value.map((item) => withFieldsAt(item, nowMs))
  if (typeof value !== 'object' || value === null) return value
  const parts = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withFieldsAt(part, nowMs)]))
  const { properties } = value as Shape
  if (properties === undefined) return parts
  const gone = Object.keys(properties).filter((field) => !isKnown(properties[field], nowMs))
  const required = (parts.required as string[] | undefined)?.filter((field) => !gone.includes(field))
  const kept = Object.entries(parts.properties as object).filter(([field]) => !gone.includes(field))
  return { ...parts, ...(required ? { required } : {}), properties: Object.fromEntries(kept) }
}

function isKnown(field: Shape | undefined, nowMs: number): boolean {
  const removal = field?.[removedBy]
  return isThere(field, nowMs) && (removal === undefined || !inEffect(removal, nowMs))
}

/** From when on (ms since the epoch) replies of this schema look as they do today. */
export function currentSince(schema: TSchema): number {
  return latestChange(schema as Shape)
}

function latestChange(shape: Shape): number {
  const { properties = {}, items, anyOf = [], [addedBy]: change } = shape
  const inner = [...Object.values(properties), ...(items ? [items] : []), ...anyOf]
  const written = isTimestamp(shape) ? startOf('rfc3339_timestamps') : 0
  return Math.max(change ? startOf(change) : 0, written, ...inner.map(latestChange))
}

/** A reply as it was at `nowMs`: without the fields that came later, with timestamps as they were written. */
export function asOf(reply: unknown, schema: TSchema, nowMs: number): unknown {
  return viewed(reply, schema as Shape, nowMs)
}

function viewed(value: unknown, shape: Shape | undefined, nowMs: number): unknown {
  if (!shape || value === null) return value
  if (shape.anyOf) return viewed(value, otherThanNull(shape.anyOf), nowMs)
  if (typeof value === 'string') return isTimestamp(shape) ? writtenAt(value, nowMs) : value
  if (Array.isArray(value)) return value.map((item) => viewed(item, shape.items, nowMs))
  if (typeof value !== 'object') return value
  const { properties = {} } = shape
  const entries = Object.entries(value).filter(([field]) => isThere(properties[field], nowMs))
  return Object.fromEntries(entries.map(([field, inner]) => [field, viewed(inner, properties[field], nowMs)]))
}

/** The only unions in replies are those of a value with null. */
function otherThanNull(alternatives: readonly Shape[]): Shape | undefined {
  return alternatives.find(({ type }) => type !== 'null')
}

function isThere(field: Shape | undefined, nowMs: number): boolean {
  const change = field?.[addedBy]
  return change === undefined || inEffect(change, nowMs)
}

function isTimestamp({ format }: Shape): boolean {
  return format === 'date-time'
}

/** Until December 2025, timestamps ended in `+00:00`. */
function writtenAt(timestamp: string, nowMs: number): string {
  return inEffect('rfc3339_timestamps', nowMs) ? timestamp : timestamp.replace(/Z$/, '+00:00')
}
