import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { allEndpoints, openApiDocument } from './openapi.ts'

interface Parameter {
  readonly name: string
  readonly in: string
}

interface Operation {
  readonly operationId: string
  readonly parameters: readonly (Parameter | { readonly $ref: string })[]
}

/** The operations of a path, by method, and where it is when it is not where most are. */
type Path = Record<string, Operation> & { readonly servers?: readonly { readonly url: string }[] }

interface Document {
  readonly paths: Record<string, Path>
  readonly components: Record<string, Record<string, unknown>>
}

/** The document as clients receive it, after a round trip through JSON. */
const document = JSON.parse(JSON.stringify(openApiDocument())) as Document
const operations = operationsOf(document)

function operationsOf({ paths }: Document) {
  return Object.entries(paths).flatMap(([path, { servers: _, ...methods }]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  )
}

/** Resolves a reference. */
function find(ref: string): unknown {
  const [, , kind = '', name = ''] = ref.split('/')
  return document.components[kind]?.[name]
}

/** Iterates over every object and list in a value, including the value itself. */
function* partsOf(value: unknown): Generator<object> {
  if (typeof value !== 'object' || value === null) return
  yield value
  for (const part of Object.values(value)) yield* partsOf(part)
}

test('the document is valid OpenAPI 3.1', async () => {
  const validator = new Validator()
  const { valid, errors } = await validator.validate({ ...document })
  assert.ok(valid, JSON.stringify(errors))
  assert.equal(validator.version, '3.1')
})

test('every endpoint is in the document of some date, each under an id of its own', () => {
  const days = new Set(allEndpoints().map(({ endpoint }) => endpoint.addedBy?.fromMs ?? 0))
  const shown = new Set(
    [...days].flatMap((day) =>
      operationsOf(openApiDocument(day) as unknown as Document).map(({ method, path }) => `${method} ${path}`),
    ),
  )
  for (const { endpoint } of allEndpoints()) assert.ok(shown.has(`${endpoint.method} ${endpoint.path}`), endpoint.path)
  assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length)
})

test('path parameters are exactly those that the path names', () => {
  for (const { path, operationId, parameters } of operations) {
    const declared = parameters
      .map((parameter) => ('$ref' in parameter ? (find(parameter.$ref) as Parameter) : parameter))
      .filter((parameter) => parameter.in === 'path')
      .map(({ name }) => name)
    assert.deepEqual(
      declared,
      [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
      operationId,
    )
  }
})

test('every reference leads somewhere, and every component is referred to', () => {
  const refs = new Set([...partsOf(document)].flatMap((part) => ('$ref' in part ? [part.$ref as string] : [])))
  for (const ref of refs) assert.ok(find(ref), ref)
  for (const kind of ['schemas', 'parameters', 'responses']) {
    for (const name of Object.keys(document.components[kind]!))
      assert.ok(refs.has(`#/components/${kind}/${name}`), name)
  }
})

test('an object of three fields or more is described once, under a name', () => {
  const seen = new Set<string>()
  for (const part of partsOf(document)) {
    if (!('properties' in part) || Object.keys(part.properties as object).length < 3) continue
    const text = JSON.stringify(part)
    assert.ok(!seen.has(text), `named() would let it be described once: ${text}`)
    seen.add(text)
  }
})

test('generators of clients learn the type of every value and the width of every id', () => {
  const id = { type: 'integer', minimum: 1, maximum: 4503599627370495, format: 'int64' }
  assert.deepEqual((find('#/components/schemas/Server') as { properties: { id: unknown } }).properties.id, id)
  for (const part of partsOf(document)) if ('enum' in part) assert.ok('type' in part, JSON.stringify(part))
})
