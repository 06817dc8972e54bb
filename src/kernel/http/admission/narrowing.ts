/**
 * Requests of tokens that see only the resources whose labels match a selector. All others are to them as if they were
 * not there: in paths, in lists and in bodies. What cannot be narrowed like this is refused. The work that follows from a
 * request, such as filters of servers that a firewall is applied to, is done whatever their labels are.
 */
import { beyondSelector, shows, type TokenScope } from '../../access/token-scope.ts'
import { wolkeBase } from '../../contract/bases.ts'
import { type ApiCall, type Endpoint, toIdOrName } from '../../contract/contract.ts'
import { parseQuery } from '../../contract/input.ts'
import type { Labels } from '../../contract/labels.ts'
import { paramsIn } from '../../contract/path-params.ts'
import { type FoundValue, namingFields, type Referred, valuesAt } from '../../contract/references.ts'
import { narrowed, type Selector } from '../../contract/selectors.ts'
import type { Queries } from '../../data/db.ts'
import { ApiError, invalidInput, type Problem } from '../../errors.ts'
import { firstId, largestId } from '../../ids.ts'
import type { AtOnce } from '../../process/at-once.ts'
import { labelsById, labelsByName } from '../../resource/labels-of.ts'
import type { ProjectScope } from '../../scope.ts'

/** An endpoint below its base, with its handler. */
export interface Handled {
  readonly endpoint: Endpoint
  readonly base: string
  readonly handler: (call: ApiCall<Endpoint>) => AtOnce<unknown>
}

type Call = ApiCall<Endpoint>

/** The endpoints that read the resources which others are about. */
export class Readers {
  readonly #byPath = new Map<string, Handled>()

  /** Takes in an endpoint, which may be one of them. */
  add(handled: Handled): void {
    const { endpoint, base } = handled
    if (endpoint.method === 'GET' && endpoint.path === endpoint.of) this.#byPath.set(base + endpoint.path, handled)
  }

  /** The one that reads what an endpoint is about; undefined for one that is about no single resource. */
  of({ endpoint: { of }, base }: Handled): Handled | undefined {
    return of === undefined ? undefined : this.#byPath.get(base + of)
  }

  /** The same of the whole, where an endpoint is about a part of a resource. */
  ofWhole(handled: Handled): Handled | undefined {
    const reader = this.of(handled)
    const { within } = reader?.endpoint ?? {}
    return within === undefined ? reader : this.#byPath.get(handled.base + within)
  }

  /** Looks for what an endpoint is about; nothing is asked for one that is about no single resource. Errors: `not_found`. */
  async read(handled: Handled, call: Call): Promise<void> {
    const reader = this.of(handled)
    if (reader) await ask(reader, call)
  }
}

/** The reply of a reader; the query of the call is not meant for it. */
function ask({ endpoint: { query = {} }, handler }: Handled, call: Call): AtOnce<unknown> {
  return handler({ ...call, query: parseQuery(query, '', 0) })
}

/** The two steps that narrow requests for one endpoint. */
export interface Narrowing {
  /** Runs before the input is judged. Errors: `not_found` for a resource that the caller does not see; `forbidden`. */
  enter(call: Call): Promise<void>
  /** The call that the handler gets. Errors: `forbidden`, `invalid_input` for a resource that the caller does not see. */
  fit(call: Call): Promise<Call>
}

/** Returns the steps that narrow requests for an endpoint. */
export function narrowingOf(handled: Handled, readers: Readers, query: Queries | undefined): Narrowing {
  const { endpoint } = handled
  const kind = query ? kindOf(handled) : 'refused'
  const undeclared = endpoint.body ? namingFields(endpoint.body).filter((path) => !endpoint.refers?.[path]) : []
  return {
    async enter(call) {
      if (kind === 'refused' || undeclared.length > 0) throw beyondSelector(limitsOf(call), 'this is about others too')
      if (kind === 'one') await mustShow(readers.ofWhole(handled), call)
    },
    async fit(call) {
      const limits = limitsOf(call)
      if (carriesLabels(handled, readers)) checkLabels(endpoint, call, limits)
      if (endpoint.refers) await checkReferences(call, limits, endpoint.refers, query!)
      if (kind !== 'list') return call
      const { label_selector: asked } = call.query as { label_selector?: Selector }
      return { ...call, query: { ...call.query, label_selector: narrowed(asked, limits.within!) } } as Call
    },
  }
}

const limitsOf = ({ caller }: Call) => caller.limits!

/**
 * Classifies an endpoint by its row: `one` resource in its path, a `list` that can be narrowed, something that needs no
 * narrowing because it is shared, new or narrows itself (`free`), or what cannot be narrowed (`refused`).
 */
function kindOf({ endpoint, base }: Handled): 'one' | 'list' | 'free' | 'refused' {
  const { method, path, of, query = {}, needs, isShared, narrows } = endpoint
  if (base === wolkeBase) return needs === 'anyone' ? 'free' : 'refused'
  if (isShared || narrows) return 'free'
  if (of !== undefined) return 'one'
  if (path.includes('{')) return 'refused'
  if (method === 'GET' && 'label_selector' in query) return 'list'
  return method === 'POST' && hasLabels(endpoint) ? 'free' : 'refused'
}

const hasLabels = ({ body }: Endpoint) => body?.properties.labels !== undefined

/** Tells whether a body has the labels of a resource that it makes or changes; those of parts are free. */
function carriesLabels(handled: Handled, readers: Readers): boolean {
  const { endpoint } = handled
  if (!hasLabels(endpoint)) return false
  const { method, path, of, command } = endpoint
  if (of === undefined) return method === 'POST'
  const isWhole = readers.of(handled) === readers.ofWhole(handled)
  return isWhole && (command !== undefined || (method === 'PUT' && path === of))
}

/**
 * Reads the resource that a call is about. Errors: `not_found` for one that the caller does not see, with the text for one
 * that there is not; `forbidden` where nothing tells whether it does.
 */
async function mustShow(reader: Handled | undefined, call: Call): Promise<void> {
  if (!reader) throw beyondSelector(limitsOf(call), 'this is about others too')
  const reply = (await ask(reader, call)) as Readonly<Record<string, { id: number; labels?: Labels }>>
  const [resource] = Object.values(reply)
  if (resource?.labels && (isCatalogued(resource.id) || shows(limitsOf(call), resource.labels))) return
  const [param = ''] = paramsIn(reader.endpoint.path)
  const key = (call.params as Record<string, number | string>)[param]
  const params = { ...call.params, [param]: typeof key === 'number' ? largestId : String(largestId) }
  try {
    await ask(reader, { ...call, params } as Call)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new ApiError('not_found', error.message.replaceAll(String(largestId), String(key)))
  }
  throw new ApiError('not_found', `there is no ${key}`)
}

/** Tells whether an id is one of the catalogue, which all callers see. */
const isCatalogued = (id: number) => id < firstId

/** Errors: `forbidden` for labels that do not match: the caller would not see what it makes, or lose sight of it. */
function checkLabels({ method }: Endpoint, { body }: Call, limits: TokenScope): void {
  const { labels } = (body ?? {}) as { labels?: Labels | null }
  if (method === 'PUT' && labels === undefined) return
  if (!shows(limits, labels ?? {})) throw beyondSelector(limits, 'give what you make or change labels that match')
}

async function checkReferences(
  { body, scope }: Call,
  limits: TokenScope,
  references: Readonly<Record<string, Referred>>,
  query: Queries,
): Promise<void> {
  const problems: Problem[] = []
  for (const [path, referred] of Object.entries(references)) {
    if (referred.of === 'catalogue' || referred.of === 'part') continue
    const values = valuesAt(body, path)
    if (referred.of === 'several' && values[0])
      throw beyondSelector(limits, `${values[0].field} may stand for others, so leave it out`)
    if (referred.of === 'several') continue
    problems.push(...(await hiddenAmong(values, { ...referred, of: referred.of }, { limits, query, scope: scope! })))
  }
  if (problems.length > 0) throw invalidInput(problems)
}

interface Sight {
  readonly limits: TokenScope
  readonly query: Queries
  readonly scope: ProjectScope
}

/** The references to what the caller does not see. */
async function hiddenAmong(
  values: readonly FoundValue[],
  { of, names }: Referred & { readonly of: readonly string[] },
  { limits, query, scope }: Sight,
): Promise<Problem[]> {
  const asked = values.map(({ field, value }) => ({ field, ...toIdOrName(value as number | string) }))
  const ids = asked.flatMap((one) => ('id' in one ? [one.id] : []))
  const texts = names === 'own' ? asked.flatMap((one) => ('name' in one ? [one.name] : [])) : []
  const seen = new Set<number | string>()
  for (const type of of) {
    const byId = await labelsById(query, scope, type, ids)
    const byName = await labelsByName(query, scope, type, texts)
    for (const [key, labels] of [...byId, ...byName]) if (shows(limits, labels)) seen.add(key)
  }
  return asked.flatMap((one) => {
    const key = 'id' in one ? one.id : one.name
    const isFree = 'id' in one ? isCatalogued(one.id) : names === 'catalogue'
    return isFree || seen.has(key) ? [] : [{ field: one.field, message: `there is no ${of[0]} '${key}'` }]
  })
}
