/**
 * Replies and schemas as of an earlier date (spec: Versioning). Handlers reply in today's shapes; the endpoint's schema
 * marks timestamps and fields that were added later, so text written by a caller is never mistaken for either.
 */
import { type TOptional, type TSchema, Type } from 'typebox'
import { type Change, inEffect, kernelChanges } from './changes.ts'
import type { Endpoint } from './contract.ts'

const addedBy = Symbol('added by')
const removedBy = Symbol('removed by')
const removedValues = Symbol('removed values')

/** The parts of a JSON Schema that this module reads. */
interface Shape {
  readonly type?: string
  readonly format?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
  readonly required?: readonly string[]
  readonly [addedBy]?: Change
  readonly [removedBy]?: Change
  readonly [removedValues]?: Readonly<Record<string, Change>>
}

/** Marks a reply field as added by a dated change. Returns a copy, because other fields may use the same schema. */
export function since<T extends TSchema>(change: Change, schema: T): T {
  return marked(schema, addedBy, change)
}

/**
 * Marks a field of replies or bodies as removed by a dated change: it is optional, and the reference omits it from that
 * day on. The handler must stop sending or accepting it.
 */
export function until<T extends TSchema>(change: Change, schema: T): TOptional<T> {
  return marked(Type.Optional(schema) as TOptional<T>, removedBy, change)
}

/** Marks values of a field of bodies as removed by dated changes, since which the handler must refuse them. */
export function withoutValues<T extends TSchema>(schema: T, changes: Readonly<Record<string, Change>>): T {
  return marked(schema, removedValues, changes)
}

function marked<T extends TSchema>(schema: T, mark: symbol, value: unknown): T {
  return Object.defineProperties({} as T, { ...Object.getOwnPropertyDescriptors(schema), [mark]: { value } })
}

/** The dated change that removes a field, or the value that it has; undefined for most. */
export function removalOf(schema: TSchema, value: unknown): Change | undefined {
  const { [removedBy]: ofField, [removedValues]: ofValues = {} } = schema as Shape
  return ofField ?? (typeof value === 'string' && Object.hasOwn(ofValues, value) ? ofValues[value] : undefined)
}

/** The schema with the fields that exist at `nowMs`, as a plain JSON value. */
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

/** The time (ms since the epoch) since which replies of this schema look as they do today. */
export function currentSince(schema: TSchema): number {
  return latestChange(schema as Shape)
}

/** Most replies have parts that others have too. */
const latest = new WeakMap<Shape, number>()

function latestChange(shape: Shape): number {
  const known = latest.get(shape)
  if (known !== undefined) return known
  const { properties = {}, items, anyOf = [], [addedBy]: change } = shape
  const inner = [...Object.values(properties), ...(items ? [items] : []), ...anyOf]
  const written = isTimestamp(shape) ? kernelChanges.rfc3339_timestamps.fromMs : 0
  const found = Math.max(change ? change.fromMs : 0, written, ...inner.map(latestChange))
  latest.set(shape, found)
  return found
}

/** The status of success at `nowMs`. */
export function successStatus({ status, repliesSince }: Endpoint, nowMs: number): Endpoint['status'] {
  return repliesSince && !inEffect(repliesSince, nowMs) ? 204 : status
}

/** A reply as of `nowMs`: without fields added later, and with timestamps in the format of that time. */
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
  return inEffect(kernelChanges.rfc3339_timestamps, nowMs) ? timestamp : timestamp.replace(/Z$/, '+00:00')
}
