/**
 * Requests of tokens that see only the resources whose labels match a selector. All others are to them as if they were
 * not there: in paths, in lists and in bodies. What cannot be narrowed like this is refused. The work that follows from a
 * request, such as filters of servers that a firewall is applied to, is done whatever their labels are.
 */
import { beyondSelector, shows, type TokenScope } from '../access/token-scope.ts'
import { type ApiCall, type Endpoint, toIdOrName } from '../contract/contract.ts'
import { parseQuery } from '../contract/input.ts'
import type { Labels } from '../contract/labels.ts'
import { type FoundValue, namingFields, type Referred, valuesAt } from '../contract/references.ts'
import { narrowed, type Selector } from '../contract/selectors.ts'
import type { Queries } from '../data/db.ts'
import { ApiError, invalidInput, type Problem } from '../errors.ts'
import { firstId, largestId } from '../ids.ts'
import { labelsById, labelsByName } from '../resource/labels-of.ts'
import type { ProjectScope } from '../scope.ts'

/** An endpoint below its base, with its handler. */
export interface Handled {
  readonly endpoint: Endpoint
  readonly base: string
  readonly handler: (call: ApiCall<Endpoint>) => Promise<unknown>
}

type Call = ApiCall<Endpoint>

/**
 * Looks for the resource in the path by calling the endpoint that reads it; undefined when none does. Errors:
 * `not_found`.
 */
export async function readResource(
  { path }: Endpoint,
  call: Call,
  mounted: readonly Handled[],
): Promise<{ readonly reply: unknown } | undefined> {
  const readers = mounted.filter(
    ({ endpoint }) =>
      endpoint.method === 'GET' && endpoint.path.endsWith('}') && `${path}/`.startsWith(`${endpoint.path}/`),
  )
  const nearest = readers.sort((a, b) => b.endpoint.path.length - a.endpoint.path.length)[0]
  return nearest && { reply: await nearest.handler(withoutQuery(call, nearest.endpoint)) }
}

const withoutQuery = (call: Call, { query = {} }: Endpoint): Call => ({ ...call, query: parseQuery(query, '', 0) })

/** How requests for one endpoint are narrowed. */
export interface Narrowing {
  /** Before the input is judged. Errors: `not_found` for a resource that the caller does not see; `forbidden`. */
  enter(call: Call): Promise<void>
  /** The call that the handler gets. Errors: `forbidden`, `invalid_input` for a resource that the caller does not see. */
  fit(call: Call): Promise<Call>
}

/** How requests for an endpoint are narrowed; `mounted` are all endpoints. */
export function narrowingOf(
  { endpoint, base }: Handled,
  { mounted, publicBase }: { readonly mounted: readonly Handled[]; readonly publicBase: string },
  query: Queries | undefined,
): Narrowing {
  const kind = !query
    ? 'refused'
    : base === publicBase
      ? kindOf(endpoint)
      : endpoint.needs === 'anyone'
        ? 'free'
        : 'refused'
  const undeclared = endpoint.body ? namingFields(endpoint.body).filter((path) => !endpoint.refers?.[path]) : []
  const isLabelled = carriesLabels(endpoint)
  return {
    async enter(call) {
      if (kind === 'refused' || undeclared.length > 0) throw beyondSelector(limitsOf(call), 'this is about others too')
      if (kind === 'one') await mustShow(endpoint, call, mounted)
    },
    async fit(call) {
      const limits = limitsOf(call)
      if (isLabelled) checkLabels(endpoint, call, limits)
      if (endpoint.refers) await checkReferences(call, limits, endpoint.refers, query!)
      if (kind !== 'list') return call
      const { label_selector: asked } = call.query as { label_selector?: Selector }
      return { ...call, query: { ...call.query, label_selector: narrowed(asked, limits.within!) } } as Call
    },
  }
}

const limitsOf = ({ caller }: Call) => caller.limits!

/**
 * What an endpoint of the public API is about: `one` resource in its path, a `list` that can be narrowed, something that
 * needs no narrowing because it is shared, new or narrows itself (`free`), or what cannot be narrowed (`refused`).
 */
function kindOf(endpoint: Endpoint): 'one' | 'list' | 'free' | 'refused' {
  const { method, path, query = {} } = endpoint
  if (endpoint.isShared || endpoint.narrows) return 'free'
  if (/^\/\w+\/\{/.test(path)) return 'one'
  if (method === 'GET' && 'label_selector' in query) return 'list'
  return method === 'POST' && carriesLabels(endpoint) ? 'free' : 'refused'
}

/** Whether a body has the labels of a resource; those of its parts are free. */
function carriesLabels({ method, path, body }: Endpoint): boolean {
  if (body?.properties.labels === undefined) return false
  if (method === 'POST') return !path.includes('{') || /^\/\w+\/\{\w+\}\/actions\//.test(path)
  return /^\/\w+\/\{\w+\}$/.test(path)
}

/** Errors: `not_found` for a resource that the caller does not see, with the text for one that there is not. */
async function mustShow(endpoint: Endpoint, call: Call, mounted: readonly Handled[]): Promise<void> {
  const [, family = '', param = ''] = /^(\/\w+\/)\{(\w+)\}/.exec(endpoint.path) ?? []
  const reader = { ...endpoint, path: `${family}{${param}}` }
  const found = await readResource(reader, call, mounted)
  const resource = Object.values((found?.reply ?? {}) as Record<string, { id?: number; labels?: Labels }>)[0]
  if (resource?.labels && (isCatalogued(resource.id!) || shows(limitsOf(call), resource.labels))) return
  const key = (call.params as Record<string, number | string>)[param]
  const params = { ...call.params, [param]: typeof key === 'number' ? largestId : String(largestId) }
  try {
    await readResource(reader, { ...call, params } as Call, mounted)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new ApiError('not_found', error.message.replaceAll(String(largestId), String(key)))
  }
}

/** Whether an id is one of the catalogue, which all callers see. */
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
    if (referred.of === 'catalogue') continue
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
