/** Sends recorded requests again, in order, and tells how their answers differ. */
import { setTimeout as delay } from 'node:timers/promises'
import { isDecodable, pathOf, searchOf } from '../../../kernel/contract/urls.ts'
import { isMasked } from '../masks.ts'
import { type Difference, differences } from './compare.ts'
import type { Step } from './har-file.ts'
import { Names } from './names.ts'
import { withSecrets } from './secrets.ts'

export interface Target {
  /** The base URL. */
  readonly endpoint: string
  readonly token: string
  /** A read is sent again for so long until its answer is the recorded one, in milliseconds. */
  readonly waitMs: number
}

export interface Replayed {
  readonly step: Step
  /** The reason why it was not sent. */
  readonly skipped?: string
  readonly differences: readonly Difference[]
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

/** The time between two equal requests, in milliseconds. */
const pauseMs = 100

/** Replays requests one after the other. Errors: those of the connection. */
export async function* replay(steps: readonly Step[], target: Target): AsyncGenerator<Replayed> {
  const names = new Names()
  for (const step of withoutPolls(steps)) {
    const skipped = reasonToSkip(step)
    if (skipped !== undefined) yield { step, skipped, differences: [] }
    else yield await compareStep(step, names, target)
  }
}

async function compareStep(step: Step, names: Names, target: Target): Promise<Replayed> {
  const { body, missing } = withSecrets(replaced(step.body, names))
  if (missing !== undefined) return { step, skipped: `its ${missing} was not recorded`, differences: [] }
  const isChange = step.method !== 'GET'
  const until = Date.now() + target.waitMs
  for (;;) {
    const answer = await send(step.method, pathNow(step.path, names), body, target)
    const found = compare(step, answer, names, isChange)
    if (found.length === 0 || isChange || Date.now() >= until) return { step, differences: found }
    await delay(pauseMs)
  }
}

function compare({ status, answer }: Step, now: Answer, names: Names, isChange: boolean): Difference[] {
  const found = answer === undefined ? [] : differences(answer, now.body, { names, isChange })
  return status === now.status ? found : [{ field: 'status', recorded: status, now: now.status }, ...found]
}

/** The last of equal reads between two changes tells what the others waited for. */
function withoutPolls(steps: readonly Step[]): Step[] {
  const seen = new Set<string>()
  const kept = steps.toReversed().filter((step) => {
    const { method, path } = step
    if (reasonToSkip(step) !== undefined) return true
    if (method !== 'GET') seen.clear()
    else if (seen.has(path)) return false
    else seen.add(path)
    return true
  })
  return kept.reverse()
}

function reasonToSkip({ status, isCut, isForeign, path }: Step): string | undefined {
  if (isForeign) return 'it is no request to this API'
  if (isMasked(path)) return 'its URL held a secret, which was not recorded'
  if (status === 401) return 'it had no valid token'
  if (status === 429) return 'it was above a limit'
  return isCut ? 'its body was too large to be recorded' : undefined
}

/** A body with what stands now for the names in it. */
function replaced(value: unknown, names: Names): unknown {
  if (Array.isArray(value)) return value.map((one) => replaced(one, names))
  if (typeof value === 'number' || typeof value === 'string') return names.now(value)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, replaced(inner, names)]))
}

function pathNow(path: string, names: Names): string {
  const now = (text: string) => encodeURIComponent(String(names.now(text)))
  const segments = pathOf(path)
    .split('/')
    .map((segment) => (isDecodable(segment) ? now(decodeURIComponent(segment)) : segment))
    .join('/')
  const query = [...new URLSearchParams(searchOf(path))].map(
    ([name, value]) => `${encodeURIComponent(name)}=${now(value)}`,
  )
  return query.length === 0 ? segments : `${segments}?${query.join('&')}`
}

async function send(method: string, path: string, body: unknown, { endpoint, token }: Target): Promise<Answer> {
  const response = await fetch(endpoint.replace(/\/$/, '') + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** One line for each difference. */
export function linesOf({ step: { number, method, path }, skipped, differences }: Replayed): string[] {
  const what = `${number} ${method} ${path}`
  if (skipped !== undefined) return [`${what}: not sent: ${skipped}`]
  return differences.map(
    ({ field, recorded, now }) => `${what}: ${field || 'body'}: ${shown(recorded)} is now ${shown(now)}`,
  )
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = isMasked(value) ? 'a secret' : JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 200)} ...` : text
}
