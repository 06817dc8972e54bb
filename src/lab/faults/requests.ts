/** Injects faults into requests. */
import type { ApiCall, Endpoint } from '../../kernel/contract/contract.ts'
import { ApiError, type ErrorCode } from '../../kernel/errors.ts'
import type { Interceptor, Passage } from '../../kernel/http/interceptor.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { latencyMs } from './chance.ts'
import type { Effect } from './contract.ts'
import { durationOf } from './durations.ts'
import type { Facts } from './facts.ts'
import { listening, operations, type PublicOperation } from './known.ts'
import { isProject, type Occasion } from './matching.ts'
import type { Patience } from './patience.ts'
import { noRoomFor, wantsRoom, withoutRoom } from './placement.ts'
import type { Rule } from './rule.ts'
import type { Rules } from './rules.ts'
import { dribble, reset, truncate } from './wire.ts'

export interface RequestParts {
  readonly rules: Rules
  readonly facts: Facts
  readonly patience: Patience
  readonly clock: Clock
}

type Failure = NonNullable<Effect['error']>

/** The header that names the rules which have hit a request. */
export const injectedHeader = 'wolke-injected'

/** Tells whether a rule can hit an operation. */
const isFor = (rule: Rule, { endpoint }: PublicOperation) =>
  rule.effect.sold_out ? wantsRoom(endpoint) : isForRequests(rule)

const isForRequests = ({ effect: { latency, error, reset, truncate, dribble } }: Rule) =>
  (latency ?? error ?? reset ?? truncate ?? dribble) !== undefined

export function interceptorOf(parts: RequestParts): Interceptor {
  return (passage, handle) => {
    const operation = parts.rules.isEmpty ? undefined : operationOf(passage)
    return operation ? intercept(parts, passage, operation, handle) : handle()
  }
}

/** Undefined for what meets no faults. */
const operationOf = ({ endpoint }: Passage) => (endpoint ? operations.get(endpoint) : listening)

async function intercept<Made>(
  parts: RequestParts,
  passage: Passage,
  operation: PublicOperation,
  handle: () => Promise<Made>,
): Promise<Made> {
  const { rules, facts } = parts
  const occasion = occasionOf(facts, passage, operation)
  const hit = { operation: operation.id, projectId: occasion.projectId, requestId: passage.id }
  const injected: string[] = []
  for await (const { rule, counts } of rules.hitting(occasion, hit, (rule) => isFor(rule, operation))) {
    const { latency } = rule.effect
    injected.push(rule.name)
    passage.header(injectedHeader, shown(injected))
    if (latency) await parts.patience.wait(latencyMs(latency, rule.seed, counts.hits), passage.response)
    strikeBefore(parts, passage, rule, operation)
    const { error, reset: resets } = rule.effect
    if (error || resets) return strikeAfter(parts, passage, rule, handle)
  }
  if (operation.type !== 'server_type') return handle()
  const soldOut = await soldOutFor(parts, occasion)
  if (soldOut.length > 0) passage.header(injectedHeader, shown([...injected, ...soldOut.map(({ name }) => name)]))
  const matches = soldOut.map(({ body }) => body.match ?? {})
  return withoutRoom(await handle(), matches)
}

/** Clients refuse headers that are much longer. */
const mostShown = 100

function shown(names: readonly string[]): string {
  const more = names.length - mostShown
  return [...names.slice(0, mostShown), ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
}

/** The rules by which something is sold out for who asks. */
async function soldOutFor({ rules, clock }: RequestParts, occasion: Occasion): Promise<Rule[]> {
  const found: Rule[] = []
  for (const { rule } of rules.list()) {
    const { effect, body } = rule
    const { project } = body.match ?? {}
    if (!effect.sold_out || rule.isOver(clock.now())) continue
    if (project === undefined || (await isProject(project, occasion))) found.push(rule)
  }
  return found
}

/** Errors: that of the rule, unless it comes after the effect. */
function strikeBefore(parts: RequestParts, passage: Passage, rule: Rule, { endpoint }: PublicOperation): void {
  const { error, reset: moment, truncate: truncated, dribble: dribbled } = rule.effect
  const { response } = passage
  // Errors are answers, too, which can be spoilt.
  if (truncated) truncate(response, truncated.bytes)
  if (dribbled) dribble(response, { bytes: dribbled.bytes, everyMs: durationOf(dribbled.every) }, parts.patience)
  if (rule.effect.sold_out) throw refusalOf(parts, passage, rule, noRoomFor(endpoint))
  if (error && !error.after_effect) throw refusalOf(parts, passage, rule, error)
  if (moment === 'before_effect') {
    reset(response)
    throw new ApiError('unavailable', `the fault '${rule.name}' has reset the connection`)
  }
}

/** Carries the request out, and keeps the client from knowing it. */
async function strikeAfter<Made>(
  parts: RequestParts,
  passage: Passage,
  rule: Rule,
  handle: () => Promise<Made>,
): Promise<Made> {
  const { error } = rule.effect
  try {
    const made = await handle()
    if (error) throw refusalOf(parts, passage, rule, error)
    return made
  } finally {
    if (!error) reset(passage.response)
  }
}

/** The error of a rule, in the shape of the API. */
function refusalOf({ clock }: RequestParts, passage: Passage, rule: Rule, failure: Failure): ApiError {
  const { code, message = `the lab answers so by its fault '${rule.name}'`, status, details = null } = failure
  const error = new ApiError(code as ErrorCode, message, { details, ...(status === undefined ? {} : { status }) })
  if (error.status === 429) {
    // A rule without an end tells it as a bucket of 3,600 an hour fills up.
    const fullAtMs = rule.untilMs ?? clock.now() + 1_000
    passage.header('ratelimit-remaining', '0')
    passage.header('ratelimit-reset', String(Math.ceil(fullAtMs / 1_000)))
  }
  return error
}

function occasionOf(facts: Facts, { call }: Passage, { id, type, endpoint }: PublicOperation): Occasion {
  const projectId = (call.scope as { readonly projectId: Occasion['projectId'] } | undefined)?.projectId
  const named = Object.values(call.params as Record<string, number | string>)[0]
  let subjects: ReturnType<Occasion['subjects']> | undefined
  return {
    operation: id,
    method: endpoint.method,
    projectId,
    types: [type],
    ids: typeof named === 'number' ? [named] : [],
    projectName: () => facts.projectName(projectId),
    subjects() {
      subjects ??= facts.ofRequest(endpoint, call as ApiCall<Endpoint>)
      return subjects
    },
  }
}
