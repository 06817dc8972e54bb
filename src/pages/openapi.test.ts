import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { allEndpoints, openApiDocument } from './openapi.ts'

interface Operation {
  readonly operationId: string
  readonly parameters: readonly { readonly name: string; readonly in: string }[]
}

/** As clients get it, after its way through JSON. */
const document = JSON.parse(JSON.stringify(openApiDocument())) as { paths: Record<string, Record<string, Operation>> }
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.values(methods).map((operation) => ({ path, ...operation })),
)

test('the document is valid OpenAPI 3.1', async () => {
  const validator = new Validator()
  const { valid, errors } = await validator.validate({ ...document })
  assert.ok(valid, JSON.stringify(errors))
  assert.equal(validator.version, '3.1')
})

test('every endpoint is in the document, each under an id of its own', () => {
  assert.equal(operations.length, allEndpoints().length)
  assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length)
})

test('path parameters are exactly those that the path names', () => {
  for (const { path, operationId, parameters } of operations) {
    const declared = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
    assert.deepEqual(
      declared,
      [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
      operationId,
    )
  }
})
