/** A request as it is written on a page: texts by field, and the request that they make. */
import type { AnyRequest, OperationId, QueryValue } from '../../api/operations.ts'
import { operationOf } from '../../api/operations.ts'
import { raw } from '../../words/en/raw.ts'
import { wordsOf } from '../../words/words.ts'
import { type Description, descriptionOf, type Schema } from './descriptions.ts'

const w = wordsOf('raw', raw).problems

/** How a value is written: as it is, as one of several, or as JSON. */
export type Kind = 'text' | 'long' | 'number' | 'either' | 'boolean' | 'choice' | 'json'

export interface RawField {
  /** `params.id`, `query.name` or `body.name`. */
  readonly key: string
  readonly name: string
  readonly kind: Kind
  readonly isRequired: boolean
  readonly isNullable: boolean
  readonly isList: boolean
  readonly options: readonly string[]
  readonly hint: string | undefined
}

export interface RawForm {
  readonly params: readonly RawField[]
  readonly query: readonly RawField[]
  readonly body: readonly RawField[]
  readonly hasBody: boolean
}

export interface Draft {
  readonly texts: Readonly<Record<string, string>>
  /** The body as JSON, when it is written like that. */
  readonly json: string | undefined
}

const longText = 1_000

function kindOf(schema: Schema): Kind {
  if (schema.enum) return 'choice'
  const parts = (schema.anyOf ?? []).filter(({ type }) => type !== 'null')
  if (parts.length === 1 && parts[0]) return kindOf(parts[0])
  if (parts.length > 1) return parts.every(({ type }) => type === 'integer' || type === 'string') ? 'either' : 'json'
  if (schema.type === 'boolean') return 'boolean'
  if (schema.type === 'integer' || schema.type === 'number') return 'number'
  if (schema.type === 'string') return (schema.maxLength ?? 0) > longText ? 'long' : 'text'
  return 'json'
}

const optionsOf = ({ enum: options, anyOf = [] }: Schema): readonly string[] =>
  (options ?? anyOf.flatMap((part) => part.enum ?? [])).map(String)

function fieldOf(key: string, schema: Schema, isRequired: boolean, description?: string): RawField {
  const isList = key.startsWith('query.') && schema.type === 'array'
  const one = isList ? (schema.items ?? {}) : schema
  return {
    key,
    name: key.slice(key.indexOf('.') + 1),
    kind: isList ? 'text' : kindOf(one),
    isRequired,
    isNullable: (schema.anyOf ?? []).some(({ type }) => type === 'null'),
    isList,
    options: optionsOf(one),
    hint: description ?? schema.description,
  }
}

/** The fields of an operation. */
export function formOf(id: OperationId): RawForm {
  const { query = {}, body }: Description = descriptionOf(id)
  const names = [...operationOf(id).path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
  return {
    params: names.map((name) => fieldOf(`params.${name}`, { type: 'string' }, true)),
    query: Object.entries(query).map(([name, { schema, description }]) =>
      fieldOf(`query.${name}`, schema, false, description),
    ),
    body: Object.entries(body?.properties ?? {}).map(([name, schema]) =>
      fieldOf(`body.${name}`, schema, body?.required?.includes(name) ?? false),
    ),
    hasBody: body !== undefined,
  }
}

type Read = { readonly value: unknown } | { readonly problem: string }

/** The value that a text stands for. */
export function readField({ kind, isNullable }: Pick<RawField, 'kind' | 'isNullable'>, text: string): Read {
  if (isNullable && text === 'null') return { value: null }
  switch (kind) {
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text) ? { value: Number(text) } : { problem: w.number }
    case 'either':
      return { value: /^\d+$/.test(text) ? Number(text) : text }
    case 'boolean':
      return { value: text === 'true' }
    case 'json':
      return readJson(text)
    default:
      return { value: text }
  }
}

function readJson(text: string): Read {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return { problem: w.json }
  }
}

interface Made {
  readonly request: AnyRequest
  /** What is wrong, by the key of the field; `json` for the body as JSON. */
  readonly problems: Readonly<Record<string, string>>
}

/** The request that a draft makes. Fields without a text are not sent. */
export function requestOf(id: OperationId, form: RawForm, { texts, json }: Draft): Made {
  const problems: Record<string, string> = {}
  const read = (fields: readonly RawField[]): Record<string, unknown> =>
    Object.fromEntries(
      fields.flatMap((field): [string, unknown][] => {
        const text = texts[field.key] ?? ''
        if (text === '') {
          if (field.isRequired) problems[field.key] = w.required
          return []
        }
        if (field.isList) return [[field.name, text.split(',').map((part) => part.trim())]]
        const result = readField(field, text)
        if ('problem' in result) problems[field.key] = result.problem
        return 'value' in result ? [[field.name, result.value]] : []
      }),
    )
  const params = read(form.params) as Record<string, string>
  const query = read(form.query) as Record<string, QueryValue>
  const body = form.hasBody ? (json === undefined ? read(form.body) : bodyOf(json, problems)) : undefined
  const request: AnyRequest = {
    operation: id,
    ...(form.params.length > 0 ? { params } : {}),
    ...(Object.keys(query).length > 0 ? { query } : {}),
    ...(body === undefined ? {} : { body }),
  }
  return { request, problems }
}

function bodyOf(json: string, problems: Record<string, string>): unknown {
  const result = readJson(json)
  if ('problem' in result) problems.json = result.problem
  else if (typeof result.value !== 'object' || result.value === null) problems.json = w.object
  else return result.value
  return {}
}
