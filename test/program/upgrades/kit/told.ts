/** All that a server tells of what it holds, by the operations that its version describes, and what of it another one tells, too. */
import assert from 'node:assert/strict'
import { own, type TestBrowser } from '../../../people/kit/browser.ts'

/** What can be asked of a version, from its OpenAPI file. */
export class Operations {
  readonly #paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>

  constructor(openApi: string) {
    this.#paths = JSON.parse(openApi).paths
  }

  has(method: string, template: string): boolean {
    return this.#paths[template]?.[method] !== undefined
  }

  /** The paths that can be read, those that others are found by first. */
  get readable(): string[] {
    return Object.keys(this.#paths)
      .filter((path) => this.has('get', path) && !isOfProgram(path) && !isByItself(path))
      .sort((a, b) => a.split('{').length - b.split('{').length)
  }
}

/** What the catalogue offers and what the process does is the program's and no data. */
const isOfProgram = (path: string) =>
  /^\/(isos|pricing|locations|datacenters|\w+_types|installation|reachability|clock|forks|snapshots|report|har|runs|faults)\b/.test(
    path,
  )
/** Figures are new with each request, seeds are files, and actions are read once, not below all that they are about. */
const isByItself = (path: string) => /\/(metrics|folders|usage|files|content|doors|seed)$|.\/actions\/\{/.test(path)

/** Replies by what was asked. */
export type Told = Readonly<Record<string, unknown>>

type Item = Readonly<Record<string, string | number>>

/** Sends a GET request. */
export type Ask = (path: string) => Promise<{ readonly status: number; readonly body: unknown }>

/** Asks the API with a token. */
export function asking(baseUrl: string, token: string): Ask {
  return async (path) => {
    const answer = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${token}` } })
    const text = await answer.text()
    return {
      status: answer.status,
      body: answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text,
    }
  }
}

/** Asks what only Wolke has, as somebody who has signed in. */
export const asPerson =
  (browser: TestBrowser): Ask =>
  (path) =>
    browser.api('GET', own + path)

/** Reads all that can be read, each resource from its list and by itself. */
export async function tellAll(ask: Ask, operations: Operations): Promise<Told> {
  const told: Record<string, unknown> = {}
  for (const template of operations.readable) {
    for (const path of pathsOf(template, told)) {
      const { status, body } = await ask(template.endsWith('}') ? path : `${path}${wholeList}`)
      // What is gone, or needs more than a path, is no resource.
      if (status === 200) told[path] = withoutCatalogue(path, body)
      else assert.ok(status < 500, `${path}: ${status}`)
    }
  }
  return told
}

/** Reads again what another version has told. */
export async function tellAgain(ask: Ask, told: Told): Promise<Told> {
  const again: Record<string, unknown> = {}
  for (const [path, reply] of Object.entries(told)) {
    const isList = Object.values(reply as object).some(Array.isArray)
    const { status, body } = await ask(isList ? `${path}${wholeList}` : path)
    again[path] = status === 200 ? withoutCatalogue(path, body) : { status, body }
  }
  return again
}

/** There are fewer of everything. */
const wholeList = '?per_page=50'

function withoutCatalogue(path: string, reply: unknown): unknown {
  const { meta: _, ...rest } = reply as { meta?: unknown; images?: readonly Item[] }
  return path === '/images' ? { images: rest.images?.filter(isOwn) } : rest
}

/** The paths that a template stands for, by what the lists before have told. */
function pathsOf(template: string, told: Told): string[] {
  let found: { readonly path: string; readonly item?: Item }[] = [{ path: '' }]
  for (const part of template.replace('{project_id}', '{id}').split('/').slice(1)) {
    const [, name] = /^\{(\w+)\}$/.exec(part) ?? []
    if (name === undefined) found = found.map(({ path }) => ({ path: `${path}/${part}` }))
    else {
      const chosen = found.flatMap(({ path, item }) =>
        (item ? [item] : itemsOf(told[path])).map((one) => ({ path, item: one })),
      )
      found = chosen.map(({ path, item }) => ({ path: `${path}/${item[fieldOf(name)]}`, item }))
    }
  }
  return found.map(({ path }) => path)
}

/** The field of an item that a parameter stands for. */
const fieldOf = (name: string) => /^rr_(name|type)$/.exec(name)?.[1] ?? 'id'

/** The resources in the reply of a list. */
function itemsOf(reply: unknown): readonly Item[] {
  const found = Object.values((reply ?? {}) as Record<string, unknown>).find((value) => Array.isArray(value))
  return (found ?? []) as Item[]
}

/** Tells whether an image is not one of the catalogue. */
const isOwn = ({ type }: Item) => type === 'snapshot' || type === 'backup'

/** What one reply says that another one does not, as paths into it with both values. Fields that are new do not count. */
export function missing(before: unknown, after: unknown, at = ''): string[] {
  if (isCatalogueItem(at)) return missing(reduced(before), reduced(after), `${at} `)
  if (typeof before !== 'object' || before === null || typeof after !== 'object' || after === null)
    return Object.is(before, after) ? [] : [`${at}: ${JSON.stringify(before)} is ${JSON.stringify(after)}`]
  if (Array.isArray(before) && Array.isArray(after)) return missingOf(keyed(before), keyed(after), at)
  return missingOf(before as Values, after as Values, at)
}

type Values = Readonly<Record<string, unknown>>

function missingOf(before: Values, after: Values, at: string): string[] {
  const kept = Object.entries(before).filter(([key]) => !moving.has(key))
  return kept.flatMap(([key, value]) =>
    key in after ? missing(value, after[key], `${at}/${key}`) : [`${at}/${key}: ${JSON.stringify(value)} is gone`],
  )
}

/**
 * What moves by itself, or by whoever asks: traffic, which balancers of the simulation count since their process began, the
 * use of what lets somebody in, what parents say of zones, and how many resources there are.
 */
const moving = new Set([
  ...[
    'ingoing_traffic',
    'outgoing_traffic',
    'last_used',
    'last_seen',
    'delegated',
    'delegation_last_check',
    'delegation_status',
    'elevated_until',
    'is_current',
    'resources',
    'used',
  ],
])

/** The items of a list by their ids, as there may be more of them. */
function keyed(list: readonly unknown[]): Values {
  return Object.fromEntries(list.map((item, index) => [keyOf(item as Item | null) ?? index, item]))
}

/** Limits are told by their kind. */
const keyOf = (item: Item | null) => item?.id ?? item?.kind

const isCatalogueItem = (at: string) =>
  /\/(server_type|location|datacenter|iso|load_balancer_type|storage_box_type)$/.test(at)

/** An item of the catalogue, whose other fields are the program's. */
const reduced = (item: unknown) => {
  const { id, name } = (item ?? {}) as Item
  return { id, name }
}
