/**
 * The contract against its sources: the tables of the spec, the structure of the public description of February 2026
 * (fixtures/openapi-2026-02-extract.json: names only), and what the running server has and serves.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { TSchema } from 'typebox'
import { publicBase } from '../../src/kernel/contract/bases.ts'
import { inEffect } from '../../src/kernel/contract/changes.ts'
import type { Endpoint } from '../../src/kernel/contract/contract.ts'
import { allEndpoints, openApiDocument, ownEndpoints } from '../../src/pages/openapi.ts'
import { doorFiles, doorRoutes } from '../../src/people/pages/routes.ts'
import { forProjects } from '../kit/harness.ts'

const endpoints = allEndpoints().map(({ endpoint }) => endpoint)
const nameOf = ({ method, path }: Pick<Endpoint, 'method' | 'path'>) => `${method} ${path}`
const find = (name: string) => endpoints.find((endpoint) => nameOf(endpoint) === name)

// ---- The spec ------------------------------------------------------------------------------------------------------

/** Status, keys of the reply, query parameters and body fields (spec: Actions, Certificates, Firewalls). */
const specified: Readonly<Record<string, readonly [status: number, reply: string, query?: string, body?: string]>> = {
  // Paging is for the listing of all actions, which ended in January 2025.
  'GET /actions': [200, 'actions', 'id sort status page per_page'],
  'GET /actions/{id}': [200, 'action'],
  'GET /certificates': [200, 'certificates meta', 'sort name label_selector type page per_page'],
  'POST /certificates': [201, 'action certificate', '', 'name labels type certificate private_key domain_names'],
  'GET /certificates/{id}': [200, 'certificate'],
  'PUT /certificates/{id}': [200, 'certificate', '', 'labels name'],
  'DELETE /certificates/{id}': [204, ''],
  'GET /certificates/{id}/actions': [200, 'actions meta', 'sort status page per_page'],
  'GET /certificates/{id}/actions/{action_id}': [200, 'action'],
  'POST /certificates/{id}/actions/retry': [201, 'action'],
  'GET /certificates/actions': [200, 'actions meta', 'id sort status page per_page'],
  'GET /certificates/actions/{id}': [200, 'action'],
  'GET /firewalls': [200, 'firewalls meta', 'sort name label_selector page per_page'],
  'POST /firewalls': [201, 'firewall actions', '', 'name labels rules apply_to'],
  'GET /firewalls/{id}': [200, 'firewall'],
  'PUT /firewalls/{id}': [200, 'firewall', '', 'labels name'],
  'DELETE /firewalls/{id}': [204, ''],
  'GET /firewalls/{id}/actions': [200, 'actions meta', 'sort status page per_page'],
  'GET /firewalls/{id}/actions/{action_id}': [200, 'action'],
  'POST /firewalls/{id}/actions/apply_to_resources': [201, 'actions', '', 'apply_to'],
  'POST /firewalls/{id}/actions/remove_from_resources': [201, 'actions', '', 'remove_from'],
  // Beside the rules it ignores what else a firewall has.
  'POST /firewalls/{id}/actions/set_rules': [201, 'actions', '', 'rules name labels apply_to'],
  'GET /firewalls/actions': [200, 'actions meta', 'id sort status page per_page'],
  'GET /firewalls/actions/{id}': [200, 'action'],
}

const sorted = (names: Iterable<string>) => [...names].sort()
const words = (text = '') => sorted(text.split(' ').filter((word) => word !== ''))

/** Fields of an object's schema; undefined for one that is no object with known fields. */
function fieldsOf(schema: TSchema | undefined): Readonly<Record<string, TSchema>> | undefined {
  return (schema as { properties?: Record<string, TSchema> } | undefined)?.properties
}

/** Fields that are always there. */
const requiredOf = (schema: TSchema | undefined) =>
  sorted((schema as { required?: string[] } | undefined)?.required ?? [])

const keysOf = (schema: TSchema | undefined) => sorted(Object.keys(fieldsOf(schema) ?? {}))

test('actions, certificates and firewalls have the endpoints of the spec, each with its status, reply, query and body', () => {
  for (const [name, [status, reply, query, body]] of Object.entries(specified)) {
    const endpoint = find(name)
    assert.ok(endpoint, `there is no ${name}`)
    assert.equal(asDescribed(endpoint).status, status, name)
    assert.deepEqual(requiredOf(endpoint.reply), words(reply), `${name}: reply`)
    assert.deepEqual(sorted(Object.keys(endpoint.query ?? {})), words(query), `${name}: query`)
    assert.deepEqual(keysOf(endpoint.body), words(body), `${name}: body`)
  }
  const ours = endpoints.map(nameOf).filter((name) => /^\w+ \/(actions|certificates|firewalls)\b/.test(name))
  assert.deepEqual(sorted(ours), sorted(Object.keys(specified)), 'and no others')
})

test('every family with actions has their endpoints, and its actions sort by what the spec names', () => {
  const lists = endpoints.filter(({ path }) => path.endsWith('/actions'))
  assert.ok(lists.length > 1)
  for (const { path, query } of lists) {
    const { items } = query!.sort!.schema as { items: { enum: string[] } }
    const fields = new Set(items.enum.map((value) => value.split(':')[0]!))
    assert.deepEqual(sorted(fields), sorted(['id', 'command', 'status', 'started', 'finished']), path)
  }
  for (const { method, path } of endpoints.filter(({ method }) => method === 'POST')) {
    const [, family, param] = /^\/(\w+)\/(\{\w+\})\/actions\//.exec(path) ?? []
    if (!family) continue
    for (const rest of ['actions', 'actions/{id}', `${param}/actions`, `${param}/actions/{action_id}`]) {
      assert.ok(
        find(`GET /${family}/${rest}`),
        `${method} ${path} starts actions, but GET /${family}/${rest} is missing`,
      )
    }
  }
})

// ---- The public description ----------------------------------------------------------------------------------------

/** Names below a value: `$name` refers to a schema, null is a value without known fields. */
type Shape = string | null | { readonly [field: string]: Shape }

interface Operation {
  readonly status: number
  readonly parameters?: readonly string[]
  readonly response?: Shape
  readonly body?: readonly string[]
}

interface Description {
  readonly operations: Readonly<Record<string, Operation>>
  readonly schemas: Readonly<Record<string, Shape>>
}

const described = JSON.parse(
  readFileSync(new URL('../fixtures/openapi-2026-02-extract.json', import.meta.url), 'utf8'),
) as Description

const familyOf = (name: string) => name.split('/')[1]!
const ourFamilies = new Set(endpoints.map((endpoint) => familyOf(nameOf(endpoint))))

/** Operations of the families that this server has; only these are compared. */
const operations = Object.entries(described.operations).filter(([name]) => ourFamilies.has(familyOf(name)))

/** The descriptions of February 2026 had these, which have since gone or never were, by schema and field (spec: Versioning). */
const removed: Readonly<Record<string, string>> = {
  'POST /storage_boxes/{id}/actions/update_access_settings readonly':
    'the body of subaccounts was described by mistake',
}

/** Fields that are always null in this version, because what they would hold does not exist in it yet. May only shrink. */
const alwaysNull: readonly string[] = []

/** The status and the reply of an endpoint in February 2026. */
function asDescribed({ status, reply, repliesSince }: Endpoint): Pick<Endpoint, 'status' | 'reply'> {
  return repliesSince && repliesSince.from > '2026-02' ? { status: 204 } : { status, ...(reply ? { reply } : {}) }
}

test('no operation of the families that are here is missing', () => {
  assert.deepEqual(
    operations.map(([name]) => name).filter((name) => !find(name)),
    [],
  )
})

test('every operation of this version is in the description or was added by a dated change', () => {
  const inherited = endpoints.filter(({ addedBy }) => !addedBy || addedBy.from < '2026-02').map(nameOf)
  assert.deepEqual(
    inherited.filter((name) => !described.operations[name]),
    [],
  )
})

const without = (names: readonly string[], known: readonly string[]) => names.filter((name) => !known.includes(name))

test('operations have the status, the parameters and the body fields of the description', () => {
  for (const [name, { status, parameters = [], body = [] }] of operations) {
    const endpoint = find(name)!
    assert.equal(asDescribed(endpoint).status, status, name)
    const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!)
    const ours = [...inPath, ...Object.keys(endpoint.query ?? {})]
    assert.deepEqual(without(parameters, ours), [], `${name}: parameters`)
    const gone = body.filter((field) => removed[`${name} ${field}`])
    assert.deepEqual(without(body, keysOf(endpoint.body)), gone, `${name}: body`)
  }
})

/** The members of a schema that are not null; for an array, of what it holds. */
function membersOf(schema: TSchema): TSchema[] {
  const { anyOf, items, type } = schema as { anyOf?: TSchema[]; items?: TSchema; type?: string }
  if (anyOf) return anyOf.flatMap(membersOf)
  if (items) return membersOf(items)
  return type === 'null' ? [] : [schema]
}

/** Fields of the description that a reply of ours never has. `nulls` collects where ours is always null. */
function lacking(shape: Shape, schema: TSchema, at: string, nulls: Set<string>): string[] {
  if (shape === null) return []
  const isNamed = typeof shape === 'string'
  const fields = (isNamed ? described.schemas[shape.slice(1)] : shape) as Readonly<Record<string, Shape>>
  const here = isNamed ? shape.slice(1) : at
  const members = membersOf(schema)
  if (members.length === 0) {
    nulls.add(at)
    return []
  }
  return Object.entries(fields).flatMap(([field, below]) => {
    const ours = members.flatMap((member) => fieldsOf(member)?.[field] ?? [])
    const path = `${here}.${field}`
    if (ours.length === 0) return [path]
    return ours.flatMap((one) => lacking(below, one, path, nulls))
  })
}

test('replies have every field of the description but those that dated changes have removed', () => {
  const nulls = new Set<string>()
  const gone = new Set<string>()
  for (const [name, { response = null }] of operations) {
    const endpoint = find(name)!
    const root = typeof response === 'object' ? Object.keys(response ?? {}) : []
    const { reply } = asDescribed(endpoint)
    assert.deepEqual(requiredOf(reply), sorted(root), `${name}: keys of the reply`)
    if (reply) for (const path of lacking(response, reply, name, nulls)) gone.add(path)
  }
  const known = Object.keys(removed).filter((path) => !path.includes(' '))
  assert.deepEqual(sorted(gone), sorted(known))
  assert.deepEqual(sorted(nulls), sorted(alwaysNull))
})

// ---- The running server --------------------------------------------------------------------------------------------

/** Reads the framework's drawing of its routes: `METHOD path`, one for each. */
function routesIn(drawing: string): string[] {
  const above: string[] = []
  return drawing.split('\n').flatMap((line) => {
    const [, branches = '', path, methods = ''] = /^([│├└─\s]*)(\S+) \(([A-Z, ]+)\)$/.exec(line) ?? []
    if (path === undefined) return []
    const depth = branches.length / 4 - 1
    above.splice(depth, above.length, (above[depth - 1] ?? '') + path)
    return methods.split(', ').map((method) => `${method} ${above[depth]}`)
  })
}

forProjects('the running server', (open) => {
  test('has a route for each endpoint, the pages, and nothing else', async () => {
    const { app } = await open({ runActions: false })
    const parts = [app.edge.server, await app.edge.lazyPart()]
    const routes = parts.flatMap((part) => routesIn(part.printRoutes({ commonPrefix: false })))
    const promised = [
      ...[...allEndpoints(), ...ownEndpoints()].flatMap(({ base, otherBases = [], endpoint: { method, path } }) =>
        [base, ...otherBases].map((root) => `${method} ${root}${path.replace(/\{(\w+)\}/g, ':$1')}`),
      ),
      'GET /events',
      ...doorRoutes({ people: app.people, version: '' }).map(({ method, path }) => `${method} ${path}`),
    ]
    const pages = [
      'GET /',
      `GET ${publicBase}/openapi.json`,
      `GET ${publicBase}/changes`,
      `GET ${publicBase}/ca.pem`,
      'GET /console',
      'GET /console*',
      'GET /docs',
      'GET /favicon.ico',
      'GET /health',
      'GET /health/reads',
      ...doorFiles.map(({ path }) => `GET ${path}`),
    ]
    // What answers GET answers HEAD.
    const heads = [...promised, ...pages]
      .filter((route) => route.startsWith('GET '))
      .map((route) => `HEAD${route.slice(3)}`)
    assert.deepEqual(sorted(routes), sorted([...promised, ...pages, ...heads]))
  })

  test('serves the document and the reference to anyone, and the document is the one in the tree', async () => {
    const { anonymous, baseUrl, clock } = await open({ runActions: false })
    const served = await anonymous.get('/openapi.json')
    assert.equal(served.status, 200)
    assert.deepEqual(served.body, JSON.parse(JSON.stringify(openApiDocument(clock.now()))))
    const written = readFileSync(new URL('../../api/openapi.json', import.meta.url), 'utf8')
    assert.ok(written === `${JSON.stringify(openApiDocument(), null, 2)}\n`, 'api/openapi.json: run npm run openapi')
    const docs = await anonymous.get(new URL('/docs', baseUrl).href)
    assert.equal(docs.status, 200)
    assert.match(docs.headers.get('content-type') ?? '', /^text\/html/)
    const shown = docs.text.replace(/<[^>]+>/g, '')
    for (const { path, removedBy } of endpoints) {
      assert.equal(shown.includes(path), !(removedBy && inEffect(removedBy, clock.now())), `/docs and ${path}`)
    }
  })
})
