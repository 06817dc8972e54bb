/** The shared components of an OpenAPI document: each is written once and referred to by name. */
import type { TSchema } from 'typebox'
import { schemaAt } from '../kernel/contract/as-of.ts'
import type { ErrorCode } from '../kernel/errors.ts'

type Json = Readonly<Record<string, unknown>>

export interface Parameter extends Json {
  readonly name: string
}

/** Collects components while operations are written; `toJson` returns the `components` object of the document. */
export class Components {
  readonly #nowMs: number
  readonly #schemas = new Map<string, unknown>()
  readonly #parameters = new Map<string, Json>()
  readonly #responses = new Map<string, Json>()

  /** `nowMs` is the time whose schemas the document describes. */
  constructor(nowMs: number) {
    this.#nowMs = nowMs
  }

  /**
   * Converts a schema; one with a title becomes a component of that name.
   * Throws when two different schemas have the same title.
   */
  schema(schema: TSchema): unknown {
    return this.#schema(explicit(schemaAt(schema, this.#nowMs)))
  }

  #schema(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((item) => this.#schema(item))
    if (typeof schema !== 'object' || schema === null) return schema
    const { title, ...rest } = mapValues(schema, (part) => this.#schema(part))
    if (typeof title === 'string') return this.#named(title, rest)
    // An object may have a property called `title`.
    return title === undefined ? rest : { ...rest, title }
  }

  #named(title: string, schema: unknown): Json {
    const known = this.#schemas.get(title)
    if (known === undefined) this.#schemas.set(title, schema)
    else if (JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`two schemas are called ${title}`)
    return { $ref: `#/components/schemas/${title}` }
  }

  /** Returns a reference to a parameter. Further parameters of the same name but another meaning get numbered names. */
  parameter(parameter: Parameter): Json {
    const text = JSON.stringify(parameter)
    for (let n = 1; ; n++) {
      const key = n === 1 ? parameter.name : `${parameter.name}_${n}`
      const known = this.#parameters.get(key)
      if (known === undefined) this.#parameters.set(key, parameter)
      else if (JSON.stringify(known) !== text) continue
      return { $ref: `#/components/parameters/${key}` }
    }
  }

  /** Returns a reference to the refusal with any of these codes. */
  refusal(codes: readonly ErrorCode[], error: TSchema): Json {
    const key = codes.join('.')
    if (!this.#responses.has(key)) {
      const content = { 'application/json': { schema: this.schema(error) } }
      this.#responses.set(key, { description: `Code: ${codes.join(', ')}`, content })
    }
    return { $ref: `#/components/responses/${key}` }
  }

  toJson(): Record<string, Json> {
    const sorted = (parts: ReadonlyMap<string, unknown>) =>
      Object.fromEntries([...parts].sort(([a], [b]) => (a < b ? -1 : 1)))
    return {
      schemas: sorted(this.#schemas),
      parameters: sorted(this.#parameters),
      responses: sorted(this.#responses),
    }
  }
}

const anyKey = '^.*$'

/** Makes a schema explicit for client generators: types of enumerations, widths of integers, maps. */
export function explicit(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(explicit)
  if (typeof schema !== 'object' || schema === null) return schema
  const { patternProperties, ...rest } = mapValues(schema, explicit)
  const values = rest.enum
  if (Array.isArray(values) && values.every((value) => typeof value === 'string')) return { type: 'string', ...rest }
  if (rest.type === 'integer' && !(Number(rest.maximum) < 2 ** 31)) return { ...rest, format: 'int64' }
  const map = patternProperties as Json | undefined
  if (map === undefined) return rest
  return anyKey in map ? { ...rest, additionalProperties: map[anyKey] } : { ...rest, patternProperties: map }
}

function mapValues(value: object, convert: (part: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, convert(part)]))
}
