/** A request as it is written on a page: texts by field, and the request that they make. */
import type { AnyRequest, OperationId, QueryValue } from '../../api/operations.ts'
import { operationOf } from '../../api/operations.ts'
import { type Field, fieldOf, type Problem, problemsOf } from '../../lib/form-model.ts'
import { raw } from '../../words/raw.ts'
import { type Description, descriptionOf } from './descriptions.ts'

const w = raw.problems

/** A field at the top of a request; what is inside of others is written as JSON. */
export interface RawField {
  /** `params.id`, `query.name` or `body.name`. */
  readonly key: string
  readonly name: string
  readonly field: Field
  readonly isRequired: boolean
  /** True if several values are written with commas. */
  readonly isList: boolean
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

function rawField(key: string, field: Field, isRequired: boolean, description?: string): RawField {
  return {
    key,
    name: key.slice(key.indexOf('.') + 1),
    field,
    isRequired,
    isList: key.startsWith('query.') && field.kind === 'list',
    hint: description ?? field.description,
  }
}

const ofParam: Field = { kind: 'text', least: 1, most: undefined, isNullable: false, description: undefined }

const losing =
  /_(remove|delete|detach|unassign|disable|revoke|rotate|withdraw|transfer|end|powerOff|shutDown|reboot|reset|rebuild|changeType|setRules|setRecords|import|makeRecovery)/

/** Returns whether an operation interrupts or loses something, so that it is asked about first. */
export function losesSomething(id: OperationId): boolean {
  return operationOf(id).method === 'DELETE' || losing.test(id)
}

/** The fields of an operation. */
export function formOf(id: OperationId): RawForm {
  const { query = {}, body }: Description = descriptionOf(id)
  const names = [...operationOf(id).path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
  const whole = body && fieldOf(body)
  return {
    params: names.map((name) => rawField(`params.${name}`, ofParam, true)),
    query: Object.entries(query).map(([name, { schema, description }]) =>
      rawField(`query.${name}`, fieldOf(schema), false, description),
    ),
    body: (whole?.kind === 'object' ? whole.fields : []).map(({ name, field, isRequired }) =>
      rawField(`body.${name}`, field, isRequired),
    ),
    hasBody: body !== undefined,
  }
}

/** Returns whether one text is enough for a field; anything else is written as JSON. */
export function isPlain(field: Field): boolean {
  if (field.kind === 'either') return field.options.every(({ kind }) => kind === 'text' || kind === 'integer')
  return !['list', 'map', 'object', 'json'].includes(field.kind)
}

type Read = { readonly value: unknown } | { readonly problem: string }

/** The value that a text stands for. */
function readText(field: Field, text: string): Read {
  if (field.isNullable && text === 'null') return { value: null }
  if (!isPlain(field)) return readJson(text)
  switch (field.kind) {
    case 'integer':
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text) ? { value: Number(text) } : { problem: w.type }
    case 'either':
      return { value: /^\d+$/.test(text) ? Number(text) : text }
    case 'boolean':
      return { value: text === 'true' }
    case 'choice':
      return { value: field.options.find((option) => String(option) === text) ?? text }
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

/** Reads what was written in a field, and says what the API would refuse of it. */
function readField({ field, isList }: RawField, text: string): Read {
  if (isList && field.kind === 'list') {
    const parts = text.split(',').map((part) => readText(field.item, part.trim()))
    const wrong = parts.find((part) => 'problem' in part)
    return wrong ?? judged(field, { value: parts.map((part) => 'value' in part && part.value) })
  }
  return judged(field, readText(field, text))
}

function judged(field: Field, read: Read): Read {
  if ('problem' in read) return read
  const [problem] = problemsOf(field, read.value)
  return problem ? { problem: wordsOfProblem(problem) } : read
}

function wordsOfProblem({ at, code, limit = 0 }: Problem): string {
  const words = w[code]
  const text = typeof words === 'function' ? words(limit) : words
  return at === '' ? text : `${at}: ${text}`
}

interface Made {
  readonly request: AnyRequest
  /** The problems by the key of the field; `json` for the body as JSON. */
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

/** What is written as JSON is sent as it is, so that one can see what the API says of it. */
function bodyOf(json: string, problems: Record<string, string>): unknown {
  const result = readJson(json)
  if ('problem' in result) problems.json = result.problem
  else if (typeof result.value !== 'object' || result.value === null) problems.json = w.object
  else return result.value
  return {}
}
