/** Requests in parts that can be replaced one by one: as the schema has them, as proofs have them, and spoiled. */
import { isIdParam, paramsIn } from '../../src/kernel/contract/path-params.ts'
import type { World } from '../../test/kit/harness.ts'
import { pathOf as pathTo, prepare } from '../../test/kit/requests.ts'
import { drawing } from '../../test/kit/traffic.ts'
import type { Random } from '../random.ts'
import { contractRow, kindsOf, type Operation } from './operations.ts'
import type { Seen } from './seen.ts'
import { allNastyTexts, spoiled, type Taste, valueFor } from './values.ts'

export interface Draft {
  readonly operation: Operation
  readonly inPath: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/** Whom a draft is for: what the client knows, and its random numbers. */
export interface Author {
  readonly seen: Seen
  readonly random: Random
  /** Returns a text that no other request has, fit to begin a name. */
  prefix(): string
}

/** A request that may be valid: mostly one of a proof, otherwise one that the schema allows. */
export async function draft(operation: Operation, author: Author, nastiness: number): Promise<Draft> {
  const { random } = author
  const kinds = kindsOf(operation)
  const proven =
    kinds.length > 0 && nastiness === 0 && random.chance(0.7) ? await asProven(operation, author) : undefined
  return proven ?? asAllowed(operation, author, nastiness)
}

/** One of the random requests of proofs, often with more of what the schema allows; undefined when it lacks a resource. */
async function asProven(operation: Operation, { seen, random, prefix }: Author): Promise<Draft | undefined> {
  const kind = random.pick(kindsOf(operation))
  const number = (limit: number) => random.below(limit)
  const request = await kind.make(drawing({ number, any: async (family) => seen.any(family, random) }))
  if (!request) return undefined
  const inPath = valuesInPath(operation.path, request.path)
  seen.noteRequest(inPath)
  seen.noteRequest(request.body)
  if (typeof request.body !== 'object' || request.body === null) return { operation, inPath, query: {} }
  const { name } = request.body as { name?: unknown }
  // Names of proofs are few, so that clients would mostly be refused.
  const named = typeof name === 'string' && random.chance(0.9) ? { name: `${prefix()}${name}` } : {}
  const taste: Taste = { random, known: (field) => seen.value(field, random), nastiness: 0 }
  const more = random.chance(0.2) ? (valueFor(operation.schema ?? {}, '', taste) as object) : {}
  return { operation, inPath, query: {}, body: { ...more, ...request.body, ...named } }
}

/** A request as its schema allows it, with values that were valid elsewhere in fields of the same names. */
function asAllowed(operation: Operation, { seen, random }: Author, nastiness: number): Draft {
  const taste: Taste = { random, known: (field) => seen.value(field, random), nastiness }
  const family = operation.path.split('/')[1]!
  const valueInPath = (name: string): unknown => {
    if (random.chance(nastiness)) return random.pick(allNastyTexts)
    if (name === 'action_id' || /^(\/\w+)?\/actions\/\{id\}$/.test(operation.path)) return seen.id('actions', random)
    const text = isIdParam(name) || name === 'id_or_name' ? undefined : seen.value(name, random)
    return text ?? seen.id(family, random)
  }
  const declared = (where: string) => operation.parameters.filter((parameter) => parameter.in === where)
  const inPath = Object.fromEntries(declared('path').map(({ name }) => [name, valueInPath(name)]))
  const some = declared('query').filter(() => random.chance(0.2))
  const query = Object.fromEntries(some.map(({ name, schema }) => [name, [valueFor(schema, name, taste)].flat()[0]]))
  const { schema } = operation
  return { operation, inPath, query, ...(schema ? { body: valueFor(schema, '', taste) } : {}) }
}

/** The sample of a proof, with the resource that it needs: a valid request. */
export async function asSample(operation: Operation, world: World): Promise<Draft> {
  const { row, target, sample } = await prepare(world, contractRow(operation))
  const query = Object.fromEntries(new URLSearchParams(sample.query))
  const inPath = valuesInPath(operation.path, pathTo(row.endpoint, target))
  return { operation, inPath, query, ...(sample.body === undefined ? {} : { body: sample.body }) }
}

/** What a path has in place of the parameters of a template. */
function valuesInPath(template: string, path: string): Record<string, unknown> {
  const found = new RegExp(`^${template.replaceAll(/\{\w+\}/g, '([^/]+)')}$`).exec(path)
  if (!found) throw new Error(`${path} is no ${template}`)
  return Object.fromEntries(paramsIn(template).map((name, i) => [name, found[i + 1]]))
}

/** Yields copies of a draft with one hostile value each: for each place, a share of all hostile values. */
export function* spoiledDrafts(given: Draft, random: Random, share: number): Generator<Draft> {
  for (const { name, in: where } of given.operation.parameters) {
    const part = where === 'path' ? 'inPath' : 'query'
    for (const bad of allNastyTexts)
      if (random.chance(share)) yield { ...given, [part]: { ...given[part], [name]: bad } }
  }
  if (given.body === undefined) return
  for (const body of spoiled(given.body, random, share)) yield { ...given, body }
}

export function pathOf({ operation, inPath, query }: Draft): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encoded(inPath[name]))
  const search = Object.entries(query).map(([name, value]) => `${name}=${encoded(value)}`)
  return search.length > 0 ? `${path}?${search.join('&')}` : path
}

/** Percent-encodes a value; a lone surrogate, which cannot be encoded, is sent as its three bytes. */
function encoded(value: unknown): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.slice(0, 2_000).isWellFormed() ? encodeURIComponent(text.slice(0, 2_000)) : '%ed%a0%80'
}
