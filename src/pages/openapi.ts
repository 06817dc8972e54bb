/** The OpenAPI 3.1 document, generated from the same endpoint tables that the server uses. */
import { families } from '../families.ts'
import { auditEndpoints } from '../kernel/audit/contract.ts'
import { successStatus } from '../kernel/contract/as-of.ts'
import { publicBase, wolkeBase } from '../kernel/contract/bases.ts'
import { inEffect } from '../kernel/contract/changes.ts'
import type { Endpoint, Endpoints } from '../kernel/contract/contract.ts'
import { declaredCodes, PublicError, troubleCodes } from '../kernel/contract/errors.ts'
import { isIdParam, paramsIn } from '../kernel/contract/path-params.ts'
import { statusOf } from '../kernel/errors.ts'
import { labEndpoints } from '../lab/contract.ts'
import { faultEndpoints } from '../lab/faults/contract.ts'
import { seedEndpoints } from '../lab/seed/contract.ts'
import { managementEndpoints } from '../management/contract.ts'
import { peopleEndpoints } from '../people/contract.ts'
import { reachabilityEndpoints } from '../reachability/contract.ts'
import { Components, explicit } from './components.ts'

interface Row {
  readonly family: string
  /** The root of the API below which its path is. */
  readonly base: string
  /** Further roots below which it is. */
  readonly otherBases?: readonly string[]
  readonly key: string
  readonly endpoint: Endpoint
}

/** All endpoints, each with its family. */
export function allEndpoints(): Row[] {
  return families.flatMap(({ name, base, otherBases, endpoints }) =>
    Object.entries(endpoints).map(([key, endpoint]) => ({ family: name, base, otherBases, key, endpoint })),
  )
}

/** All endpoints of what only Wolke has, each with its part. */
export function ownEndpoints(): Row[] {
  const parts = {
    audit: auditEndpoints,
    lab: labEndpoints,
    faults: faultEndpoints,
    seed: seedEndpoints,
    reachability: reachabilityEndpoints,
    management: managementEndpoints,
    people: peopleEndpoints,
  }
  const rows: [string, Endpoints][] = [
    ...Object.entries<Endpoints>(parts),
    ...families.map(({ name, own }): [string, Endpoints] => [name, own.endpoints]),
  ]
  return rows.flatMap(([family, endpoints]) =>
    Object.entries(endpoints).map(([key, endpoint]) => ({ family, base: wolkeBase, key, endpoint })),
  )
}

/** Tells whether an endpoint exists at `nowMs`, according to the dated changes. */
function isThere({ addedBy, removedBy }: Endpoint, nowMs: number): boolean {
  return (!addedBy || inEffect(addedBy, nowMs)) && !(removedBy && inEffect(removedBy, nowMs))
}

/**
 * Builds the document for the API as of `nowMs` (ms since the epoch), by default after all known dated changes. The
 * result is a plain JSON value.
 */
export function openApiDocument(nowMs = Number.POSITIVE_INFINITY): Record<string, unknown> {
  const tags = families
    .filter(({ endpoints }) => Object.values(endpoints).some((endpoint) => isThere(endpoint, nowMs)))
    .map(({ name, spelling }) => ({ name, 'x-displayName': spelling.titles }))
  return { ...documentOf(allEndpoints(), publicBase, 'Cloud infrastructure management API', nowMs), tags }
}

/** Builds the document of what only Wolke has, below `/wolke/v1`. */
export function labDocument(): Record<string, unknown> {
  return documentOf(ownEndpoints(), wolkeBase, 'The management API and reachability of Wolke', Number.POSITIVE_INFINITY)
}

function documentOf(rows: readonly Row[], base: string, description: string, nowMs: number): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  const components = new Components(nowMs)
  const endpoints = rows.filter(({ endpoint }) => isThere(endpoint, nowMs))
  const shared = repeated(endpoints.flatMap(({ endpoint }) => parametersOf(endpoint)))
  for (const row of endpoints) {
    const { method, path } = row.endpoint
    const roots = [row.base, ...(row.otherBases ?? [])]
    const root = roots.length === 1 && row.base === base ? {} : { servers: roots.map((url) => ({ url })) }
    paths[path] = { ...root, ...paths[path], [method.toLowerCase()]: operation(row, components, shared, nowMs) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Wolke',
      version: 'v1',
      description,
      license: { name: 'Apache-2.0' },
    },
    servers: [{ url: base }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'An API token of a Project' } },
      ...components.toJson(),
    },
  }
}

function operation({ family, key, endpoint }: Row, components: Components, shared: ReadonlySet<string>, nowMs: number) {
  const { summary, section, body } = endpoint
  return {
    operationId: `${family}_${key}`,
    tags: [family],
    summary,
    description: `Rules: docs/contract.md, section ${section}`,
    parameters: parametersOf(endpoint).map((parameter) =>
      shared.has(JSON.stringify(parameter)) ? components.parameter(parameter) : parameter,
    ),
    ...(body ? { requestBody: { required: true, ...jsonOf(components.schema(body)) } } : {}),
    ...(endpoint.takesBytes ? { requestBody: { required: true, ...bytes } } : {}),
    responses: { ...success(endpoint, components, nowMs), ...failures(endpoint, components) },
  }
}

/** The content of bodies that are no JSON. */
const bytes = { content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } }

function jsonOf(schema: unknown) {
  return { content: { 'application/json': { schema } } }
}

function parametersOf(endpoint: Endpoint) {
  return [...pathParameters(endpoint), ...queryParameters(endpoint)]
}

/** The parameters, as JSON, that occur in more than one operation. */
function repeated(parameters: readonly object[]): ReadonlySet<string> {
  const forms = Map.groupBy(
    parameters.map((parameter) => JSON.stringify(parameter)),
    (form) => form,
  )
  return new Set([...forms].filter(([, uses]) => uses.length > 1).map(([form]) => form))
}

function pathParameters({ path }: Endpoint) {
  return paramsIn(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: isIdParam(name) ? { type: 'integer', format: 'int64' } : { type: 'string' },
  }))
}

function queryParameters({ query = {} }: Endpoint) {
  return Object.entries(query).map(([name, { schema, description, repeatable }]) => ({
    name,
    in: 'query',
    description,
    schema: explicit(schema),
    ...(repeatable ? { explode: true, style: 'form' } : {}),
  }))
}

function success(endpoint: Endpoint, components: Components, nowMs: number) {
  const status = successStatus(endpoint, nowMs)
  const reply = status === 204 ? undefined : endpoint.reply
  if (endpoint.sendsBytes) {
    const range = { description: 'The bytes that a Range header names', ...bytes }
    return {
      [status]: { description: 'Success', ...bytes },
      206: range,
      416: { description: 'There are no such bytes' },
    }
  }
  return { [status]: { description: 'Success', ...(reply ? jsonOf(components.schema(reply)) : {}) } }
}

function failures(endpoint: Endpoint, components: Components) {
  const declared = [...declaredCodes(endpoint)].map(
    (code) => [endpoint.statuses?.[code] ?? statusOf(code), code] as const,
  )
  const trouble = [...troubleCodes].map((code) => [statusOf(code), code] as const)
  const byStatus = Map.groupBy([...declared, ...trouble], ([status]) => status)
  return Object.fromEntries(
    [...byStatus].map(([status, some]) => {
      const codes = new Set(some.map(([, code]) => code))
      return [status, components.refusal([...codes].sort(), PublicError)]
    }),
  )
}
