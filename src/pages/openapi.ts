/** The OpenAPI 3.1 document, made from the tables of endpoints: what is served is what is promised. */
import { families } from '../families.ts'
import { declaredCodes, type Endpoint, isIdParam, PublicError, troubleCodes } from '../kernel/contract/contract.ts'
import { type ErrorCode, statusOf } from '../kernel/errors.ts'
import { basePath } from '../kernel/http/http.ts'

/** Every endpoint with the family that it belongs to. */
export function allEndpoints(): { family: string; key: string; endpoint: Endpoint }[] {
  return families.flatMap(({ name, endpoints }) =>
    Object.entries(endpoints).map(([key, endpoint]) => ({ family: name, key, endpoint })),
  )
}

/** Builds the document; a plain value that JSON can hold. */
export function openApiDocument(): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { family, key, endpoint } of allEndpoints()) {
    const method = endpoint.method.toLowerCase()
    paths[endpoint.path] = { ...paths[endpoint.path], [method]: operation(family, key, endpoint) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Wolke',
      version: 'v1',
      description: 'Cloud infrastructure management API',
      license: { name: 'Apache-2.0' },
    },
    servers: [{ url: basePath }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'An API token of a Project' } },
      schemas: { Error: PublicError },
    },
  }
}

function operation(family: string, key: string, endpoint: Endpoint) {
  const { summary, section, body } = endpoint
  return {
    operationId: `${family}_${key}`,
    tags: [family],
    summary,
    description: `Section: ${section}`,
    parameters: [...pathParameters(endpoint), ...queryParameters(endpoint)],
    ...(body ? { requestBody: { required: true, content: { 'application/json': { schema: body } } } } : {}),
    responses: { ...success(endpoint), ...failures(endpoint) },
  }
}

function pathParameters({ path }: Endpoint) {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
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
    schema,
    ...(repeatable ? { explode: true, style: 'form' } : {}),
  }))
}

function success({ status, reply }: Endpoint) {
  const content = reply ? { content: { 'application/json': { schema: reply } } } : {}
  return { [status]: { description: 'Success', ...content } }
}

function failures(endpoint: Endpoint) {
  const codes = [...declaredCodes(endpoint), ...troubleCodes]
  const byStatus = Map.groupBy(codes, (code: ErrorCode) => endpoint.statuses?.[code] ?? statusOf[code])
  return Object.fromEntries(
    [...byStatus].map(([status, some]) => [
      status,
      {
        description: `Code: ${some.join(', ')}`,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  )
}
