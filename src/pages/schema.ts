/** Renders JSON Schema as nested lists of properties; a component becomes a link to its description. */
import { Html, html } from '../protocols/net/html.ts'
import { note } from './prose.ts'

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
}

type Marked = 'required' | 'optional'

/**
 * The properties of a schema; alternatives follow each other. Nested properties are folded from the second level on.
 */
export function properties(schema: Schema, marked: Marked, depth = 0): Html {
  const lists = owners(schema).map((owner) => list(owner, marked, depth))
  return html`${lists.map((one, i) => html`${i > 0 ? html`<p class="faint">or</p>` : ''}${one}`)}`
}

function list({ properties: members = {}, required = [] }: Schema, marked: Marked, depth: number): Html {
  const items = Object.entries(members).map(([name, member]) => {
    const isMarked = required.includes(name) === (marked === 'required')
    const flag = isMarked ? html` <span class="flag ${marked}">${marked}</span>` : ''
    const line = html`<code class="name">${name}</code>${flag} ${allowed(member)}${note(member.description)}`
    if (owners(member).length === 0) return html`<li>${line}`
    const open = depth === 0 ? new Html(' open') : ''
    return html`<li><details${open}><summary>${line}</summary>${properties(member, marked, depth + 1)}</details>`
  })
  return html`<ul class="properties">${items}</ul>`
}

/** The objects with properties within a schema, through lists, maps and alternatives. */
function owners(schema: Schema): Schema[] {
  if (schema.properties) return [schema]
  return inner(schema).flatMap(owners)
}

function inner({ items, anyOf = [], additionalProperties }: Schema): Schema[] {
  const values = typeof additionalProperties === 'object' ? [additionalProperties] : []
  return [...(items ? [items] : []), ...anyOf, ...values]
}

/** The type of a value with its limits. */
export function allowed(schema: Schema): Html {
  return html`<span class="type">${typeName(schema)}</span> <span class="limits">${limits(schema)}</span>`
}

/** The component name in a reference. */
export function nameIn($ref: string): string {
  return $ref.slice($ref.lastIndexOf('/') + 1)
}

/** The anchor of a component's description. */
export function anchorOf(component: string): string {
  return `schema-${component}`
}

function typeName(schema: Schema): Html {
  const { $ref, type, format, items, anyOf, additionalProperties } = schema
  if ($ref !== undefined) return html`<a href="#${anchorOf(nameIn($ref))}">${nameIn($ref)}</a>`
  if (anyOf) return either(anyOf)
  if (type === 'array') return html`list of ${items ? typeName(items) : 'anything'}`
  if (typeof additionalProperties === 'object') return html`map of string to ${typeName(additionalProperties)}`
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  const names = [type ?? values?.map((value) => typeof value) ?? 'anything'].flat()
  return html`${[...new Set(names)].join(' or ')}${format && format !== 'int64' ? ` (${format})` : ''}`
}

function either(schemas: readonly Schema[]): Html {
  return new Html([...new Set(schemas.map((schema) => typeName(schema).toString()))].join(' or '))
}

/** The constraints of a schema and of the items in it. */
function limits(schema: Schema): Html {
  return html`${limitList(schema).map((limit, i) => html`${i > 0 ? ', ' : ''}${limit}`)}`
}

function limitList(schema: Schema): (Html | string)[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern, default: preset } = schema
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const])
  const own = [
    values.length > 0 && html`one of ${values.map((value) => html`<code>${String(value)}</code> `)}`,
    range(minItems, maxItems, ' entries'),
    range(minLength, maxLength, ' characters'),
    range(minimum, maximum, ''),
    pattern !== undefined && html`matches <code>${pattern}</code>`,
    preset !== undefined && html`default <code>${JSON.stringify(preset)}</code>`,
  ].filter((limit) => limit !== false)
  const below = inner(schema).flatMap(limitList)
  return [...own, ...(schema.items ? below.map((limit) => html`each ${limit}`) : below)]
}

function range(min: number | undefined, max: number | undefined, unit: string): string | false {
  // The largest id is not a limit that a client can reach.
  const hasMax = max !== undefined && max < 2 ** 52 - 1
  if (min === undefined) return hasMax && `at most ${max}${unit}`
  return hasMax ? `${min} to ${max}${unit}` : `at least ${min}${unit}`
}
