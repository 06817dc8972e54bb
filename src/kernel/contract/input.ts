/**
 * Parses request input: JSON bodies, within bounds that are checked before any schema; and query strings. Problems name
 * the field (spec: Details shapes).
 */
import { isUtf8 } from 'node:buffer'
import type { TObject } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { ApiError, invalidInput, type Problem, TooMuch } from '../errors.ts'
import { remembering } from '../process/remembered.ts'
import type { QueryParams } from './contract.ts'
import { labelCheck, lengthCheck, unknownField, withoutTextLengths } from './field-checks.ts'
import { checkJsonBounds } from './json-bounds.ts'
import { readJsonInTurns } from './json-in-turns.ts'
import { nullsRemover } from './nulls.ts'

/** Largest request body in bytes. */
export const maxBodyBytes = 128 * 1024
const maxProblems = 20

// Each of the unknown fields yields two errors before the one that lists them all, which a smaller bound would hide.
Settings.Set({ maxErrors: 200 })

/** Parses a JSON body; an empty one is `undefined`. `mostKeys` are more than usual. Errors: 400 `json_error`. */
export function parseJson(bytes: Buffer, mostKeys?: number): unknown {
  checkUtf8(bytes)
  for (const _ of checkJsonBounds(bytes, mostKeys));
  const text = bytes.toString()
  if (text.trim() === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw notJson(cause)
  }
  if (mayHoldForbidden(bytes)) for (const _ of checkTexts(value));
  return value
}

/** Forbidden keys and characters can only appear literally as `__proto__` or through an escape; other texts need no walk. */
const mayHoldForbidden = (json: Buffer) => json.includes('\\u') || json.includes('__proto__')

/** Does what `parseJson` does with a body that is larger than most, step by step. Errors: 400 `json_error`. */
export function* parseLargeJson(bytes: Buffer, mostKeys?: number): Generator<void, unknown> {
  checkUtf8(bytes)
  yield* checkJsonBounds(bytes, mostKeys)
  let value: unknown
  try {
    value = yield* readJsonInTurns(bytes)
  } catch (cause) {
    throw notJson(cause)
  }
  // A walk of its own would be needed to find out whether it may hold what is forbidden.
  yield* checkTexts(value)
  return value
}

function checkUtf8(bytes: Buffer): void {
  if (!isUtf8(bytes)) throw new ApiError('json_error', 'the request body is not valid UTF-8')
}

const notJson = (cause: unknown) => new ApiError('json_error', 'the request body is not valid JSON', { cause })

/** The number of characters checked in one step. */
const checkedAtOnce = 65_536

function* checkTexts(value: unknown): Generator<void, void> {
  if (typeof value === 'string') yield* checkPieces(value)
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) Object.keys(value).forEach(checkKey)
  for (const part of Object.values(value))
    if (typeof part === 'string' || typeof part === 'object') yield* checkTexts(part)
}

function* checkPieces(text: string): Generator<void, void> {
  for (let at = 0; at < text.length; ) {
    // A piece ends after a pair of surrogates, never within one.
    const [start, end] = [at, at + checkedAtOnce]
    at = isHighSurrogate(text.charCodeAt(end - 1)) ? end + 1 : end
    checkText(text.slice(start, at))
    yield
  }
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit < 0xdc00

function checkKey(key: string): void {
  if (key === '__proto__') throw new ApiError('json_error', "the key '__proto__' is not allowed")
  checkText(key)
}

/** Tells whether both databases can store a text unchanged: neither can store NUL or lone surrogates. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

function checkText(text: string): void {
  if (!isStorable(text)) throw new ApiError('json_error', 'the JSON has text with a NUL or half a surrogate pair')
}

/**
 * Checks bodies against one schema, and takes out of them what is null and need not be there. The schema is compiled at
 * its first use, because most runs use few endpoints.
 */
export type BodyCheck = (body: unknown) => void

/**
 * Creates the check of a body. It throws 422 `invalid_input` with at most 20 problems. What is too long is refused before
 * anything else is looked at. It also checks all `labels` in a body (spec: Labels).
 */
export function bodyCheck(schema: TObject, vendor: string): BodyCheck {
  // They are made for the first body: most endpoints get none between a start and the next one.
  let made: ReturnType<typeof checksOf> | undefined
  return (body) => {
    made ??= checksOf(schema, vendor)
    const { validator, checkLabels, checkLengths, removeNulls } = made
    const tooLong = checkLengths?.(body) ?? []
    if (tooLong.length > 0) throw refuse(tooLong)
    removeNulls?.(body)
    const problems = validator.Check(body) ? [] : schemaProblems(validator, body)
    problems.push(...(checkLabels?.(body) ?? []))
    if (problems.length > 0) throw refuse(problems)
  }
}

function checksOf(schema: TObject, vendor: string) {
  return {
    validator: Compile(withoutTextLengths(schema)),
    checkLabels: labelCheck(schema, vendor),
    checkLengths: lengthCheck(schema),
    removeNulls: nullsRemover(schema),
  }
}

function refuse(problems: readonly Problem[]): ApiError {
  const unknown = problems.find((problem) => problem.message === unknownField)
  const message = unknown ? `invalid input: unknown field name '${unknown.field}'` : undefined
  return invalidInput(problems.slice(0, maxProblems), message)
}

interface SchemaError {
  readonly keyword: string
  readonly instancePath: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message: string
}

function schemaProblems(validator: Validator, body: unknown): Problem[] {
  const problems = new Map<string, Problem>()
  const unions = new Set<string>()
  const holders = new Set<string>()
  for (const error of withoutNullables([...(validator.Errors(body) as Iterable<SchemaError>)])) {
    for (const problem of toProblems(error)) {
      if (error.keyword === 'anyOf') unions.add(problem.field)
      for (const holder of holdersOf(problem.field)) holders.add(holder)
      // Keeps one problem per field: the error of a failed union replaces those of its members.
      const { field } = problem
      if (!problems.has(field) || error.keyword === 'anyOf') problems.set(field, problem)
    }
  }
  // A problem within an object that may also be null is reported there alone.
  const found = [...problems.values()].filter(({ field }) => !(unions.has(field) && holders.has(field)))
  return found.length > 0 ? found : [{ field: 'body', message: 'is not valid' }]
}

/**
 * Leaves out the errors of those unions of something and null in which the value has the right type: what else is wrong
 * with it says more.
 */
function withoutNullables(errors: readonly SchemaError[]): readonly SchemaError[] {
  const isNullType = ({ keyword, params }: SchemaError) => keyword === 'type' && params.type === 'null'
  const nullable = new Set<string>()
  for (const [at, some] of Map.groupBy(errors, ({ instancePath }) => instancePath)) {
    const others = some.filter((error) => error.keyword !== 'anyOf' && !isNullType(error))
    const hasRightType = others.length === 1 && others[0]!.keyword !== 'type'
    if (hasRightType && some.some(isNullType)) nullable.add(at)
  }
  return errors.filter(
    (error) => !nullable.has(error.instancePath) || (error.keyword !== 'anyOf' && !isNullType(error)),
  )
}

/** Lists the fields around a field: `rules` and `rules[0]` for `rules[0].port`. */
const holdersOf = (field: string): string[] => [...field.matchAll(/[.[]/g)].map(({ index }) => field.slice(0, index))

function toProblems({ keyword, instancePath, params, message }: SchemaError): Problem[] {
  const field = fieldName(instancePath)
  const below = (name: string) => (field ? `${field}.${name}` : name)
  switch (keyword) {
    case 'required':
      return (params.requiredProperties as string[]).map((name) => ({ field: below(name), message: 'is required' }))
    case 'additionalProperties':
      return (params.additionalProperties as string[]).map((name) => ({
        field: below(name.slice(0, 80)),
        message: unknownField,
      }))
    case 'boolean':
      return []
    case 'enum':
      return [
        { field, message: `must be one of ${(params.allowedValues as unknown[]).map((v) => `'${v}'`).join(', ')}` },
      ]
    case 'anyOf':
      return [{ field, message: 'has a value that is not allowed here' }]
    default:
      return [{ field: field || 'body', message }]
  }
}

/** Converts `/rules/0/port` to `rules[0].port`. */
function fieldName(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~').slice(0, 80))
    .reduce((path, part) => (/^\d+$/.test(part) && path ? `${path}[${part}]` : path ? `${path}.${part}` : part), '')
}

/** The values of each parameter of a query string. */
const readSearch = remembering((search): ReadonlyMap<string, readonly string[]> => {
  const given = [...new URLSearchParams(search)]
  const byName = Map.groupBy(given, ([name]) => name)
  return new Map([...byName].map(([name, some]) => [name, some.map(([, text]) => text)]))
})

/**
 * Parses the declared parameters of a query string and ignores others. Errors: 422 `invalid_input` that names each bad
 * one.
 */
export function parseQuery(params: QueryParams, search: string, nowMs: number): Record<string, unknown> {
  const given = search === '' ? undefined : readSearch(search)
  const problems: Problem[] = []
  const values: Record<string, unknown> = {}
  for (const name in params) {
    const param = params[name]!
    try {
      const texts = given?.get(name) ?? []
      if (!texts.every(isStorable)) throw 'must not contain a NUL character'
      values[name] = param.parse(texts, nowMs)
    } catch (reason) {
      if (reason instanceof TooMuch) problems.push({ field: name, message: reason.message, isLimit: true })
      else if (typeof reason === 'string') problems.push({ field: name, message: reason })
      else throw reason
    }
  }
  if (problems.length > 0) throw invalidInput(problems)
  return values
}
