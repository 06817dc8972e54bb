/**
 * Requests for tests that cover all endpoints: valid requests, and a way to provoke each declared error, generated from
 * the contract tables and from the families' proofs.
 */
import assert from 'node:assert/strict'
import { type Need, type Role, roles } from '../../src/kernel/access/roles.ts'
import { verbOf } from '../../src/kernel/access/token-scope.ts'
import type { Endpoint, Param } from '../../src/kernel/contract/contract.ts'
import type { ErrorCode } from '../../src/kernel/errors.ts'
import { allEndpoints } from '../../src/pages/openapi.ts'
import { dump } from './database/dump.ts'
import { type Answer, type Client, type Open, testClock, today, type World } from './harness.ts'
import { scopedClient } from './http/scoped-clients.ts'
import { type ErrorScenario, neverExisted, type Sample, type Stage, type Target } from './proof.ts'
import { errorScenarios, samples } from './proofs.ts'

export const rows = allEndpoints().map((row) => ({ ...row, name: `${row.family}.${row.key}` }))
export type Row = (typeof rows)[number]

const requestOf = ({ method, path }: Endpoint) => `${method} ${path}`
const patterns = rows.map((row) => {
  const request = requestOf(row.endpoint)
  return { row, request, pattern: new RegExp(`^${request.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }
})

/** The row of a request such as `PUT /servers/{servers}`. Throws when the contract has none. */
export function rowOf(wanted: string): Row {
  const found =
    patterns.find(({ request }) => request === wanted) ?? patterns.find(({ pattern }) => pattern.test(wanted))
  if (!found) throw new Error(`the contract has no ${wanted}`)
  return found.row
}

/** The names of the rows of endpoints that write, and are there, which are not among some requests. */
export function unwritten(requests: readonly string[]): string[] {
  const written = new Set(requests.map((request) => rowOf(request).name))
  return rows
    .filter(({ name, endpoint: { method, removedBy } }) => method !== 'GET' && !removedBy && !written.has(name))
    .map(({ name }) => name)
}

/** Removed endpoints are tested on a date at which they still existed. */
export const eras = [
  { some: rows.filter(({ endpoint }) => !endpoint.removedBy), day: today },
  { some: rows.filter(({ endpoint }) => endpoint.removedBy), day: '2026-04-15T12:00:00Z' },
]

/**
 * The eras by family. Each is tested in a world of its own, because checks of everything that a world has take the longer
 * the more there is.
 */
export const parts = eras.flatMap(({ some, day }) =>
  [...Map.groupBy(some, ({ family }) => family).values()].map((some) => ({ some, day })),
)

/** Runs a check for every row and fails with all failures, not only the first. */
export async function each<T extends { readonly name: string }>(all: readonly T[], check: (one: T) => Promise<void>) {
  const failures: string[] = []
  for (const one of all) await check(one).catch((error: Error) => failures.push(`${one.name}: ${error.message}`))
  assert.equal(failures.length, 0, failures.join('\n\n'))
}

const namesAction = (path: string) => /^(\/\w+)?\/actions\/\{id\}$/.test(path)

/** The ids in a path. */
interface Named {
  readonly id: unknown
  readonly actionId?: unknown
  /** The id of a part; its default, the id of the whole, is that of no part. */
  readonly partId?: unknown
}

/** The path with the ids of a target; every zone of the tests has the RRSet that is inserted here. */
export function pathOf({ path }: Endpoint, { id, actionId, partId = id }: Named): string {
  return path
    .replace('{action_id}', `${actionId}`)
    .replace('{id}', `${namesAction(path) ? actionId : id}`)
    .replace('{id_or_name}', `${id}`)
    .replace('{rr_name}/{rr_type}', 'www/A')
    .replace(/\{\w+_id\}/, `${partId}`)
}

/** A request that an endpoint accepts, for any client to send. */
export interface Ready {
  readonly row: Row
  readonly target: Target
  readonly sample: Sample
  send(client: Client, target?: Named, headers?: Record<string, string>): Promise<Answer>
}

export async function prepare(world: World, row: Row): Promise<Ready> {
  const family = samples[row.family]
  assert.ok(family, `no proof has samples for the family ${row.family}`)
  const prepared = await family.prepare(world)
  const make = family.requests?.[row.key]
  assert.ok(make || !row.endpoint.body, 'its proof has no request for it')
  const sample = (await make?.(world, prepared)) ?? {}
  const target = sample.target ?? prepared
  const search = sample.query ? `?${sample.query}` : ''
  return {
    row,
    target,
    sample,
    send: (client, other = target, headers = {}) =>
      client.request(row.endpoint.method, pathOf(row.endpoint, other) + search, {
        headers,
        ...(sample.body === undefined ? {} : { body: sample.body }),
      }),
  }
}

/** Whether all Projects share what a request is for. */
export const isShared = ({ row }: Ready) => samples[row.family]!.isShared === true

/** Invalid values of a query parameter. */
function badValues({ schema }: Param<unknown>): string[] {
  const { type, items } = schema as { type: string; items?: { enum?: unknown; type: string } }
  const bad = { integer: ['0', 'x', '1e3'], boolean: ['perhaps'], array: ['nonsense'], string: [] }[type] ?? []
  return [...bad, ...(items?.type === 'integer' ? ['0', '-1'] : []), '%00']
}

/** The best role that does not include what an endpoint needs, if there is one. */
function lesserThan(needs: Need): Role | undefined {
  return roles[roles.indexOf(needs as Role) - 1]
}

/** A client with a token that is not granted the verb of an endpoint. */
const withoutVerb = (world: World, endpoint: Endpoint) =>
  scopedClient(world, { verbs: [verbOf(endpoint) === 'read' ? 'delete' : 'read'] })

/** A way to provoke each code that follows from the shape of an endpoint. */
const implied: Readonly<Partial<Record<ErrorCode, (ready: Ready, world: World) => Promise<Answer[]>>>> = {
  unauthorized: async (ready, { anonymous }) => [await ready.send(anonymous)],
  async forbidden(ready, world) {
    const { endpoint } = ready.row
    const role = lesserThan(endpoint.needs)
    const clients = [...(role ? [world.as(role)] : []), await withoutVerb(world, endpoint)]
    return Promise.all(clients.map((client) => ready.send(client)))
  },
  token_readonly: async (ready, { readOnly }) => [await ready.send(readOnly)],
  async deprecated_api_endpoint(ready, { api, clock }) {
    const then = new Date(clock.now()).toISOString()
    clock.set(today)
    const answer = await ready.send(api)
    clock.set(then)
    return [answer]
  },
  async not_found(ready, { api, clock }) {
    const { addedBy, path } = ready.row.endpoint
    if (!addedBy || path.includes('{')) return [await ready.send(api, { id: neverExisted, actionId: neverExisted })]
    // The endpoint has no reference that could be missing, so use a date before it was added.
    const then = new Date(clock.now()).toISOString()
    clock.set(addedBy.from)
    clock.advance(-1)
    const answer = await ready.send(api)
    clock.set(then)
    return [answer]
  },
  json_error: async ({ row: { endpoint }, target }, { api }) => {
    const path = pathOf(endpoint, target)
    const bodies = ['{', '{"name":"a"}}', '{"__proto__":1}', '"\\u0000"']
    return Promise.all(bodies.map((body) => api.request(endpoint.method, path, { body })))
  },
  async invalid_input({ row: { endpoint }, target, sample }, { api }) {
    const path = pathOf(endpoint, target)
    const queries = Object.entries(endpoint.query ?? {}).flatMap(([name, param]) =>
      badValues(param).map((value) => `${name}=${value}`),
    )
    const bodies = endpoint.body ? [{ ...(sample.body as object), surprise: 1 }, [], 'null', '7'] : []
    return Promise.all([
      ...queries.map((query) => api.get(`${path}?${[sample.query, query].filter(Boolean).join('&')}`)),
      ...bodies.map((body) => api.request(endpoint.method, path, { body })),
    ])
  },
}

/**
 * A world as of a date for error scenarios: every refused write is checked to have changed nothing. `met` holds the
 * work that the current scenario runs at fault points.
 */
export async function openStage(open: Open, day = today) {
  const met = new Map<string, () => Promise<unknown>>()
  const faults = { reach: async (place: string) => void (await met.get(place)?.()) }
  const world = await open({ runActions: false, clock: testClock(day), faults })
  return { world, stage: toStage(world, open, met), met }
}

function toStage(world: World, open: Open, met: Map<string, () => Promise<unknown>>): Stage {
  const request: Client['request'] = async (method, path, options) => {
    const before = method === 'GET' ? undefined : await dump(world.db)
    const answer = await world.api.request(method, path, options)
    // The rows that a rival changed are not changes of the refused request.
    if (before !== undefined && answer.status >= 400 && met.size === 0) assert.equal(await dump(world.db), before)
    return answer
  }
  const api: Client = {
    ...world.api,
    request,
    post: (path, body) => request('POST', path, { body }),
    put: (path, body) => request('PUT', path, { body }),
    delete: (path) => request('DELETE', path),
  }
  return { ...world, api, open, meet: (place, work) => void met.set(place, work) }
}

/** Ends the worlds that a scenario has opened, because an open one goes on looking for work. */
async function played(scenario: ErrorScenario, stage: Stage): Promise<Answer> {
  const opened: World[] = []
  const open: Open = async (options) => {
    const world = await stage.open(options)
    opened.push(world)
    return world
  }
  try {
    return await scenario({ ...stage, open })
  } finally {
    for (const { stop } of opened) await stop()
  }
}

/** Answers with the code, one for each known way to provoke it. */
export async function reach(
  world: World,
  stage: Stage,
  { row, code }: { row: Row; code: ErrorCode },
): Promise<Answer[]> {
  const scenario = errorScenarios[row.name]?.[code]
  if (scenario) return [await played(scenario, stage)]
  const way = implied[code]
  assert.ok(way, 'its proof has no scenario for it')
  const ready = await prepare(world, row)
  // Its token must be there before the request that may leave no trace.
  await withoutVerb(world, row.endpoint)
  const before = await dump(world.db)
  const answers = await way(ready, world)
  assert.equal(await dump(world.db), before, 'a refused request had an effect')
  return answers
}
