/**
 * The vocabulary of contracts. An endpoint is one row of data: method, path, parameters, body, reply and possible
 * errors. Routes, validation, types, the OpenAPI document and the coverage tests all derive from these rows.
 */
import { type Static, type TObject, type TObjectOptions, type TProperties, type TSchema, Type } from 'typebox'
import { maxNetworkText, parseCidr } from '../../protocols/net/ip.ts'
import type { Principal } from '../access/principal.ts'
import type { Need, Role } from '../access/roles.ts'
import { type ErrorCode, TooMuch } from '../errors.ts'
import { largestId, parseId } from '../ids.ts'
import type { AtOnce } from '../process/at-once.ts'
import type { ProjectScope } from '../scope.ts'
import type { Browser } from './browser.ts'
import type { Download } from './bytes.ts'
import { type Change, inEffect } from './changes.ts'
import { maxLabels } from './labels.ts'
import type { LaterReply } from './later.ts'
import type { IdParam } from './path-params.ts'
import type { References } from './references.ts'
import { parseSelector, type Selector } from './selectors.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export interface Endpoint {
  readonly method: Method
  readonly needs: Need
  /** True when a person must have proven its identity within the last 10 minutes. */
  readonly elevated?: boolean
  /** True when it is closed to API tokens, whatever their rights are. */
  readonly notForTokens?: true
  /** Path below the base URL, with parameters in braces: `/firewalls/{id}`. `isIdParam` tells ids from names. */
  readonly path: string
  /** The family that scopes and the audit log count it to; families give their own to what says nothing. */
  readonly family?: string
  /** The command that it carries out, as scopes name it. */
  readonly command?: string
  /** The path of the resource that it is about, below the same base; the endpoint that reads it has that path. */
  readonly of?: string
  /** The path of the whole, for an endpoint that reads a part of a resource; its labels say who sees the part. */
  readonly within?: string
  /** The kind of thing that `id` names, in texts, where that is no resource of its family. */
  readonly title?: string
  readonly summary: string
  /** The section of docs/contract.md that it implements. */
  readonly section: string
  readonly query?: QueryParams
  readonly body?: TObject
  /** The references in its body, by field. */
  readonly refers?: References
  /** True when it shows what all Projects share. */
  readonly isShared?: true
  /** True when its handler itself leaves out what a caller does not see that sees only some resources. */
  readonly narrows?: true
  /** Largest body in bytes, for endpoints that accept more than the default. */
  readonly maxBodyBytes?: number
  /** Most keys in its body, for endpoints that accept more than the default. */
  readonly maxBodyKeys?: number
  readonly status: 200 | 201 | 204 | 410
  readonly reply?: TSchema
  /** Its reply in other forms, by media type, for callers that accept one; a reply with a `meta.next` links its next page. */
  readonly forms?: Readonly<Record<string, (reply: unknown) => string | Buffer>>
  /** Its body has a `file` in base64, which may come as plain bytes, as `application/octet-stream`. */
  readonly file?: true
  /** Its body is plain bytes of any number, as `application/octet-stream`, which its handler reads as they come. */
  readonly takesBytes?: true
  /** Its reply is a `Download`, of which requests may ask for a range. */
  readonly sendsBytes?: true
  /** The dated change that added it; before that it answers 404. */
  readonly addedBy?: Change
  /** The dated change that deprecated it, where none removes it. */
  readonly deprecatedBy?: Change
  /** The dated change that removed it; since then it answers 410 before anything else is checked. */
  readonly removedBy?: Change
  /** The dated change since which requests without the query parameter get 410, and the page that announces it. */
  readonly removedWithout?: { readonly param: string; readonly by: Change; readonly announcement: string }
  /** The dated change since which it has a reply; before that it answers 204 without a body. */
  readonly repliesSince?: Change
  /** Possible error codes besides those that follow from its shape (see `declaredCodes`). */
  readonly errors: readonly ErrorCode[]
  /** Statuses of codes that have a different status here than elsewhere (spec: Call-specific codes). */
  readonly statuses?: Readonly<Partial<Record<ErrorCode, number>>>
}

export type Endpoints = Readonly<Record<string, Endpoint>>

/** Declares a table of endpoints and keeps the exact types of its rows. */
export function defineEndpoints<const T extends Endpoints>(table: T): T {
  return table
}

/** The option of a schema whose unknown properties are refused, as in all requests. */
export const closed = { additionalProperties: false } as const

/** Declares an object of a request, in which unknown properties are refused. */
export function closedObject<const Properties extends TProperties>(properties: Properties) {
  return Type.Object(properties, closed)
}

// ---- Types derived from a row --------------------------------------------------------------------------------------

type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never

/** The parameters in a path: numbers for ids, strings for names. */
export type PathParams<Path extends string> = {
  readonly [Name in ParamNames<Path>]: Name extends IdParam ? number : string
}

export type QueryOf<E extends Endpoint> = E['query'] extends QueryParams
  ? { readonly [K in keyof E['query']]: E['query'][K] extends Param<infer T> ? T : never }
  : Record<never, never>

export type BodyOf<E extends Endpoint> = E['body'] extends TObject ? Static<E['body']> : undefined

export type ReplyOf<E extends Endpoint> = E['sendsBytes'] extends true
  ? Download
  : E['reply'] extends TSchema
    ? Static<E['reply']>
    : // biome-ignore lint/suspicious/noConfusingVoidType: a 204 has no reply
      void

/** One authenticated and parsed request, as its handler gets it. */
export interface ApiCall<E extends Endpoint> {
  readonly caller: Principal
  /** The Project of the call, for endpoints that need a role in it. */
  readonly scope: [E['needs']] extends [Role] ? ProjectScope : undefined
  /** True when the caller may only read: secrets such as private keys are not shown to it. */
  readonly isReadOnly: boolean
  readonly params: PathParams<E['path']>
  readonly query: QueryOf<E>
  readonly body: BodyOf<E>
  /** Returns the origin by which the caller reaches the API, for replies to this caller alone. */
  readonly origin: () => string
  /** The body of an endpoint that takes bytes, as they come. */
  readonly bytes: () => AsyncIterable<Buffer>
  /** Serves endpoints about sessions themselves. */
  readonly browser: () => Browser
}

/** The calls of each row. */
export type Calls<T extends Endpoints> = { readonly [K in keyof T]: ApiCall<T[K]> }

/** One handler for each row; a missing, surplus or mistyped handler does not compile. */
export type Handlers<T extends Endpoints> = {
  readonly [K in keyof T]: (call: ApiCall<T[K]>) => AtOnce<Returned<T[K]>>
}

type Returned<E extends Endpoint> = E['method'] extends 'GET' ? ReplyOf<E> : ReplyOf<E> | LaterReply<ReplyOf<E>>

// ---- Query parameters ----------------------------------------------------------------------------------------------

/** A query parameter: its schema in the reference, and its parser. */
export interface Param<T> {
  readonly schema: Readonly<Record<string, unknown>>
  readonly description: string
  readonly repeatable: boolean
  /** Parses the given texts (none when absent) as of `nowMs`; throws a string that describes the problem, or `TooMuch`. */
  parse(texts: readonly string[], nowMs: number): T
}

export type QueryParams = Readonly<Record<string, Param<unknown>>>

export interface Sort {
  readonly field: string
  readonly descending: boolean
}

export const defaultPerPage = 25
export const maxPerPage = 50
const maxRepeats = 100

/** From 1 to `max`. With `isCut` a larger one counts as that: clients ask for as many as they can imagine, to get all. */
export function integerParam(description: string, fallback: number, max: number, isCut = false): Param<number> {
  return {
    schema: { type: 'integer', minimum: 1, maximum: max, default: fallback },
    description,
    repeatable: false,
    parse(texts) {
      const text = texts.at(-1)
      if (text === undefined) return fallback
      const value = text.length <= maxText && /^[1-9]\d*$/.test(text) ? Number(text) : 0
      if (value === 0 || (value > max && !isCut)) throw `must be an integer from 1 to ${max}`
      return Math.min(value, max)
    },
  }
}

/** Maximum length of a text in a path or a query, in characters. */
export const maxText = 255

/** Any text; absent means no filter. */
export function textParam(description: string): Param<string | undefined> {
  return {
    schema: { type: 'string', maxLength: maxText },
    description,
    repeatable: false,
    parse(texts) {
      const text = texts.at(-1)
      if (text !== undefined && text.length > maxText)
        throw new TooMuch(`must not have more than ${maxText} characters`)
      return text
    },
  }
}

// The spellings that Go's ParseBool accepts: clients write booleans like their own language, Python as `True`.
const trueTexts = ['1', 't', 'T', 'TRUE', 'true', 'True']
const falseTexts = ['0', 'f', 'F', 'FALSE', 'false', 'False']

/** A boolean in any common spelling; true when given without a value, false when absent. */
export function booleanParam(description: string): Param<boolean> {
  return {
    schema: { type: 'boolean', default: false },
    description,
    repeatable: false,
    parse(texts) {
      const text = texts.at(-1)
      if (text === undefined || falseTexts.includes(text)) return false
      if (text === '' || trueTexts.includes(text)) return true
      throw "must be 'true' or 'false'"
    },
  }
}

function repeated<T>(texts: readonly string[], read: (text: string) => T): readonly T[] | undefined {
  if (texts.length === 0) return undefined
  if (texts.length > maxRepeats) throw new TooMuch(`must not be given more than ${maxRepeats} times`)
  return [...new Set(texts)].map(read)
}

/** One of the given values. May be repeated; the values are joined by OR. */
export function enumParam<const V extends string>(
  description: string,
  values: readonly V[],
): Param<readonly V[] | undefined> {
  return {
    schema: { type: 'array', items: { type: 'string', enum: values }, maxItems: maxRepeats },
    description,
    repeatable: true,
    parse: (texts) =>
      repeated(texts, (text) => {
        const value = values.find((known) => known === text)
        if (value === undefined) throw `must be one of ${values.map((known) => `'${known}'`).join(', ')}`
        return value
      }),
  }
}

/** Ranges of addresses in canonical form; may be repeated. */
export function rangesParam(description: string): Param<readonly string[] | undefined> {
  return {
    schema: { type: 'array', items: { type: 'string', maxLength: maxNetworkText }, maxItems: maxRepeats },
    description,
    repeatable: true,
    parse: (texts) =>
      repeated(texts, (text) => {
        const parsed = parseCidr(text)
        if (!parsed.ok) throw parsed.message
        return parsed.cidr
      }),
  }
}

/** Ids; may be repeated. */
export function idsParam(description: string): Param<readonly number[] | undefined> {
  return {
    schema: { type: 'array', items: { type: 'integer', minimum: 1, maximum: largestId }, maxItems: maxRepeats },
    description,
    repeatable: true,
    parse: (texts) =>
      repeated(texts, (text) => {
        const id = parseId(text)
        if (id === undefined) throw 'must be an id'
        return id
      }),
  }
}

type RemovedFields = Readonly<Record<string, Change>>

/** `removed` fields are accepted until the dated change that removed them. */
function sortParam(fields: readonly string[], removed: RemovedFields = {}): Param<readonly Sort[]> {
  const variants = (field: string) => [field, `${field}:asc`, `${field}:desc`]
  const values = fields.flatMap(variants)
  return {
    schema: { type: 'array', items: { type: 'string', enum: values }, maxItems: maxRepeats },
    description: 'Sort by a field, ascending unless `:desc` follows; may be repeated',
    repeatable: true,
    parse: (texts, nowMs) =>
      repeated(texts, (text) => {
        const past = Object.entries(removed).filter(([, removal]) => !inEffect(removal, nowMs))
        const known = values.includes(text) || past.some(([field]) => variants(field).includes(text))
        if (!known) throw `must be one of ${fields.join(', ')}, optionally followed by :asc or :desc`
        const [field = '', direction] = text.split(':')
        return { field, descending: direction === 'desc' }
      }) ?? [],
  }
}

const selectorParam: Param<Selector | undefined> = {
  schema: { type: 'string', maxLength: 1024 },
  description: 'Only resources whose labels match (see Label selectors)',
  repeatable: false,
  parse(texts) {
    const text = texts.at(-1)
    if (text === undefined || text === '') return undefined
    const result = parseSelector(text)
    if (!result.ok) throw result.isLimit ? new TooMuch(result.message) : result.message
    return result.selector
  },
}

/** `page` and `per_page` of a list with so many entries on a page at most; most have those of `paging` (spec: Limits). */
export function widePaging(max: number) {
  return {
    page: integerParam('Number of the page, from 1', 1, 2 ** 31),
    per_page: integerParam(`Entries on a page; a larger number counts as ${max}`, defaultPerPage, max, true),
  } as const
}

export const paging = widePaging(maxPerPage)

/** The query parameters of a list of resources with labels. */
export function listing(fields: readonly string[], pages: typeof paging = paging) {
  return {
    ...pages,
    sort: sortParam(fields),
    name: textParam('Exact name'),
    label_selector: selectorParam,
  } as const
}

/** The `sort` parameter for lists without labels. */
export function sorting(fields: readonly string[], removed?: RemovedFields) {
  return { sort: sortParam(fields, removed) } as const
}

// ---- Shapes that all families share --------------------------------------------------------------------------------

/** An object schema that has its own name in the reference and openapi.json, and so in clients generated from it. */
export function named<const T extends TProperties>(title: string, properties: T, options: TObjectOptions = {}) {
  return Type.Object(properties, { ...options, title })
}

export const Id = Type.Integer({ minimum: 1, maximum: largestId })
export const Timestamp = Type.String({ format: 'date-time' })
/** `parseLabels` checks the other limits of labels in request bodies, with messages that name the label. */
export const Labels = Type.Record(Type.String(), Type.String(), { maxProperties: maxLabels })

/** A schema that also accepts null. */
export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()])
}

export const Pagination = named('Pagination', {
  page: Type.Integer(),
  per_page: Type.Integer(),
  previous_page: nullable(Type.Integer()),
  next_page: nullable(Type.Integer()),
  last_page: nullable(Type.Integer()),
  total_entries: nullable(Type.Integer()),
})

export const Meta = named('Meta', { pagination: Pagination })

/** An id or a name; clients send either in the same field (spec: Common types). */
export const IdOrName = Type.Union([Id, Type.String({ minLength: 1, maxLength: 255 })])

/** Parses an id or a name: `"1"` and `1` both mean the id 1; any other text is a name. */
export function toIdOrName(value: number | string): { id: number } | { name: string } {
  if (typeof value === 'number') return { id: value }
  const id = parseId(value)
  return id === undefined ? { name: value } : { id }
}

/** Finds the thing that an id or a name stands for; undefined when there is none. */
export function byIdOrName<T>(
  value: number | string,
  byId: (id: number) => T | undefined,
  byName: (name: string) => T | undefined,
): T | undefined {
  const key = toIdOrName(value)
  return 'id' in key ? byId(key.id) : byName(key.name)
}
