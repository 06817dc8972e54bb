/** The only place that sends requests. Every call is one operation of the contract. */

import { isRole } from '../../src/kernel/access/roles.ts'
import { wolkeBase } from '../../src/kernel/contract/bases.ts'
import type { ErrorCode } from '../../src/kernel/errors.ts'
import { createStore } from '../lib/store.ts'
import { takeEarly } from './early.ts'
import { ApiFailure } from './failure.ts'
import { type AnyRequest, type InputOf, type OperationId, operationOf, type ReplyFor } from './operations.ts'
import { presence } from './presence.ts'
import { askForProof } from './proof.ts'

/** The part of the rate limit that is left, from the last reply. */
interface Rate {
  readonly limit: number
  readonly remaining: number
  /** The time at which all of it is there again (ms since the epoch). */
  readonly resetAt: number
}

export const rate = createStore<Rate | undefined>(undefined)

/** The outcome of the last call: answered or not, and if not, when the server was last heard. */
export const reachable = createStore<{ readonly isReachable: boolean; readonly since: number }>({
  isReachable: true,
  since: Date.now(),
})

let heardAt = Date.now()

/** The server was heard just now, by an answer or an event. */
export function heard(): void {
  heardAt = Date.now()
  if (!reachable.get().isReachable) reachable.set({ isReachable: true, since: heardAt })
}

/** The longest waits in milliseconds: for the first byte of an answer, by kind of call, and for the others. */
const readMs = 15_000
const changeMs = 60_000
const restMs = 60_000
const probeMs = 5_000
/** Bytes that the slowest connection sends in a millisecond. */
const slowest = 8

/** The time until which calls are refused because there were too many. */
export const throttled = createStore<{ readonly until: number } | undefined>(undefined)

/** A session that ended begins again where it was. */
function signIn(): void {
  const { pathname, search } = window.location
  window.location.assign(`/console/login?next=${encodeURIComponent(pathname + search)}`)
}

let beforeFailure: () => Promise<void> = async () => {}

/** Does something before the first failure is known, such as loading the words for it. */
export function onFailure(prepare: () => Promise<void>): void {
  beforeFailure = () => prepare().catch(() => undefined)
}

type Listener = (reply: unknown, request: AnyRequest, project: number | undefined) => void
const listeners = new Set<Listener>()

/** Tells `listener` of every reply, so that actions in replies are followed. */
export function onReply(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The address of a call. Shown in commands as well, so it has no origin. */
function pathOf({ operation, params = {}, query = {} }: AnyRequest): string {
  const { path } = operationOf(operation)
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one))
  }
  return search.size > 0 ? `${filled}?${search}` : filled
}

/** Sends a call for a Project, or for the installation where there is none. Errors: `ApiFailure`. */
export async function send(
  project: number | undefined,
  request: AnyRequest,
  signal?: AbortSignal | null,
): Promise<unknown> {
  const { method } = operationOf(request.operation)
  const { body } = request
  const text = body === undefined ? '' : JSON.stringify(body)
  const reply = await reach(
    addressOf(project, request),
    {
      method,
      ...(body === undefined ? {} : { body: text, headers: { 'content-type': 'application/json' } }),
      signal: signal ?? null,
    },
    method === 'GET' ? readMs : changeMs + text.length / slowest,
  )
  for (const listener of listeners) listener(reply, request, project)
  return reply
}

/** A reply as a text of another kind than JSON, such as `text/csv`. Errors: `ApiFailure`. */
export async function sendText(project: number | undefined, request: AnyRequest, accept: string): Promise<PlainText> {
  return (await reach(addressOf(project, request), { headers: { accept } })) as PlainText
}

/** The address of a call that the browser makes by itself, such as a download. */
export function addressOf(project: number | undefined, request: AnyRequest): string {
  return doorOf(project, request) + pathOf(request)
}

/** Finds out whether the server answers at all; `reachable` tells. */
export async function probe(signal: AbortSignal): Promise<void> {
  await reach(`/console/api${wolkeBase}/whoami`, { signal }, probeMs).catch(() => undefined)
}

/** The base of a call: that of the open Project where the call is about one and does not name it itself. */
function doorOf(project: number | undefined, { operation }: AnyRequest): string {
  const { base, path, needs } = operationOf(operation)
  const isInProject = base !== wolkeBase || (isRole(needs) && !path.includes('{project_id}'))
  return `/console/api${isInProject ? `/projects/${project}` : ''}${base}`
}

async function reach(url: string, options: RequestInit, ms = readMs, isProven = false): Promise<unknown> {
  let response: Response
  const isChange = (options.method ?? 'GET') !== 'GET'
  const late = new AbortController()
  const signal = AbortSignal.any([late.signal, ...(options.signal ? [options.signal] : [])])
  let timer = setTimeout(() => late.abort(), ms)
  try {
    const early = isChange ? undefined : takeEarly(url)
    const headers = { ...options.headers, ...presence() }
    response = await (early ?? fetch(url, { ...options, headers, signal, redirect: 'error' }))
  } catch (cause) {
    if (options.signal?.aborted) throw cause
    throw unanswered(isChange)
  } finally {
    clearTimeout(timer)
  }
  timer = setTimeout(() => late.abort(), restMs)
  try {
    return await answerOf(response, isChange, options.signal)
  } catch (cause) {
    const isUnproven = cause instanceof ApiFailure && cause.code === 'elevation_required' && !isProven
    if (isUnproven && (await askForProof())) return reach(url, options, ms, true)
    throw cause
  } finally {
    clearTimeout(timer)
  }
}

/** The failure of a call that nobody answered, which the other pages are told as well. */
export function unanswered(isChange: boolean): ApiFailure {
  if (reachable.get().isReachable) reachable.set({ isReachable: false, since: heardAt })
  return new ApiFailure({ status: 0, code: 'unreachable', message: 'the server does not answer', isChange })
}

/** Returns what an answer says, and takes note of what it tells besides. Errors: `ApiFailure`. */
export async function answerOf(response: Response, isChange: boolean, signal?: AbortSignal | null): Promise<unknown> {
  heard()
  noteRate(response.headers)
  const reply = await readJson(response).catch((cause) => {
    if (signal?.aborted) throw cause
    throw new ApiFailure({ ...factsOf(response), code: 'unreadable', isChange })
  })
  if (response.ok) return reply
  const failure = refusal(response, reply, isChange)
  await beforeFailure()
  if (failure.status === 401 && failure.code === 'unauthorized') signIn()
  if (failure.retryAt) throttled.set({ until: failure.retryAt })
  throw failure
}

/** A reply that is not JSON, and the links that come with it. */
type PlainText = readonly [text: string, link: string | null]

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text()
  if (text === '') return undefined
  if (!response.headers.get('content-type')?.includes('json'))
    return [text, response.headers.get('link')] satisfies PlainText
  return JSON.parse(text)
}

function refusal(response: Response, reply: unknown, isChange: boolean): ApiFailure {
  const { error } = (typeof reply === 'object' ? reply : {}) as { error?: Partial<ApiFailure> }
  const reset = Number(response.headers.get('ratelimit-reset')) * 1000
  return new ApiFailure({
    ...factsOf(response),
    ...(error?.message ? { message: error.message } : {}),
    code: (error?.code ?? 'unreadable') as ErrorCode | 'unreadable',
    details: error?.details ?? null,
    retryAt: response.status === 429 && reset > 0 ? Math.min(reset, Date.now() + 60_000) : undefined,
    isChange,
  })
}

/** Returns what an answer tells of a failure without its body. */
function factsOf({ status, statusText, headers }: Response) {
  return {
    status,
    message: `${status} ${statusText}`,
    correlationId: headers.get('x-correlation-id') ?? undefined,
  }
}

function noteRate(headers: Headers): void {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    Number(headers.get(`ratelimit-${name}`)),
  )
  if (limit) rate.set({ limit, remaining: remaining ?? 0, resetAt: (reset ?? 0) * 1000 })
}

/** Calls for one Project, or for the installation. */
export async function call<Id extends OperationId>(
  project: number | undefined,
  operation: Id,
  input: InputOf<Id>,
  signal?: AbortSignal | null,
): Promise<ReplyFor<Id>> {
  return (await send(project, { operation, ...input } as AnyRequest, signal)) as ReplyFor<Id>
}
