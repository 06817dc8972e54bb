/** The operations of api/openapi.json, which are what the fuzzer sends requests to. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Row, rowOf } from '../../test/kit/requests.ts'
import { type RequestKind, requestKinds } from '../../test/kit/traffic.ts'
import type { Schema } from './values.ts'

interface Described {
  readonly operationId: string
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

export interface Operation extends Described {
  readonly method: string
  readonly path: string
  /** The schema of its body, if it has one. */
  readonly schema: Schema | undefined
}

/** The operations of a path, by method, and where it is when it is not where most are. */
type Path = Readonly<Record<string, Described>> & { readonly servers?: unknown }

interface OpenApi {
  readonly paths: Readonly<Record<string, Path>>
}

/** The operations of the document of the API, which has those that are there for good. */
export function readOperations(): Operation[] {
  const text = readFileSync(join(import.meta.dirname, '../../api/openapi.json'), 'utf8')
  const document = JSON.parse(text) as OpenApi
  return Object.entries(dereferenced(document.paths, document)).flatMap(([path, { servers: _, ...methods }]) =>
    Object.entries(methods).map(([method, described]) => ({
      ...described,
      method: method.toUpperCase(),
      path,
      schema: described.requestBody?.content['application/json']?.schema,
    })),
  )
}

/** Replaces each `$ref` in a value by the part of the document that it points to. */
function dereferenced<T>(value: T, document: unknown): T {
  if (Array.isArray(value)) return value.map((item) => dereferenced(item, document)) as T
  if (typeof value !== 'object' || value === null) return value
  if ('$ref' in value) return dereferenced(partOf(document, String(value.$ref)) as T, document)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, dereferenced(inner, document)])) as T
}

/** The part of a document at a pointer such as `#/components/schemas/action`. */
function partOf(document: unknown, pointer: string): unknown {
  const steps = pointer.split('/').slice(1)
  return steps.reduce((part, step) => (part as Record<string, unknown>)[step], document)
}

/** The row of the contract that an operation is of. */
export function contractRow({ method, path }: Pick<Operation, 'method' | 'path'>): Row {
  return rowOf(`${method} ${path}`)
}

const kinds = Map.groupBy(requestKinds, ({ name }) => rowOf(name).name)

/** The random requests that the proofs have for an operation. */
export function kindsOf(operation: Pick<Operation, 'method' | 'path'>): readonly RequestKind[] {
  return kinds.get(contractRow(operation).name) ?? []
}
