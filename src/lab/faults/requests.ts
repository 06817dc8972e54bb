/** Injects faults into requests. */
import type { ApiCall, Endpoint } from '../../kernel/contract/contract.ts'
import { ApiError, type ErrorCode } from '../../kernel/errors.ts'
import { InjectedError, type Interceptor, type Passage } from '../../kernel/http/interceptor.ts'
import { parseId } from '../../kernel/ids.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { latencyMs } from './chance.ts'
import type { Effect } from './contract.ts'
import { durationOf } from './durations.ts'
import type { Facts } from './facts.ts'
import { injectedHeader, shown } from './injected.ts'
import { operationAt, type PublicOperation } from './known.ts'
import { isProject, type Occasion } from './matching.ts'
import type { Patience } from './patience.ts'
import { noAddressFor, noRoomFor, wantsRoom, withoutRoom } from './placement.ts'
import type { Rule } from './rule.ts'
import type { Rules } from './rules.ts'
import { reset, type Spoiling, spoil } from './wire.ts'

export interface RequestParts {
  readonly rules: Rules
  readonly facts: Facts
  readonly patience: Patience
  readonly clock: Clock
}

type Failure = NonNullable<Effect['error']>

/** Tells whether a rule can hit a request. What is refused, or is no operation of the contract, orders nothing. */
function isFor({ effect }: Rule, { isRefused, call }: Passage, { endpoint }: PublicOperation): boolean {
  const { latency, error, reset, truncate, dribble, sold_out: isSoldOut, no_addresses: hasNoAddress } = effect
  const ordered = isRefused ? undefined : endpoint
  if (isSoldOut) return ordered !== undefined && wantsRoom(ordered)
  if (hasNoAddress) return ordered !== undefined && noAddressFor(ordered, call.body) !== undefined
  return (latency ?? error ?? reset ?? truncate ?? dribble) !== undefined
}

/** Tells whether a rule says what is answered. */
const decides = ({ effect: { error, reset, sold_out: isSoldOut, no_addresses: hasNoAddress } }: Rule) =>
  Boolean(error ?? reset ?? isSoldOut ?? hasNoAddress)

export function interceptorOf(parts: RequestParts): Interceptor {
  return (passage, handle) => {
    const operation = parts.rules.isEmpty ? undefined : operationAt(passage)
    return operation ? intercept(parts, passage, operation, async () => handle()) : handle()
  }
}

async function intercept<Made>(
  parts: RequestParts,
  passage: Passage,
  operation: PublicOperation,
  handle: () => Promise<Made>,
): Promise<Made> {
  const occasion = occasionOf(parts.facts, passage, operation)
  const { names, decisive } = await meet(parts, passage, operation, occasion)
  if (decisive) return answerBy(decisive, parts, passage, operation, handle)
  if (operation.type !== 'server_type' || passage.isRefused) return handle()
  const soldOut = await soldOutFor(parts, occasion)
  if (soldOut.length > 0) passage.header(injectedHeader, shown([...names, ...soldOut.map(({ name }) => name)]))
  const matches = soldOut.map(({ body }) => body.match ?? {})
  return withoutRoom(await handle(), matches)
}

interface Met {
  /** The names of the rules that have hit. */
  readonly names: readonly string[]
  /** The rule that decides the answer. */
  readonly decisive: Rule | undefined
}

/**
 * Lets a request meet the rules in their order, until one decides the answer. Their latencies add up. Its answer, also that
 * of a rule, is cut where the first bytes of all are sent, and dribbles as the first of them says that says so.
 */
async function meet(
  { rules, patience }: RequestParts,
  passage: Passage,
  operation: PublicOperation,
  occasion: Occasion,
): Promise<Met> {
  const { response } = passage
  const hit = { operation: operation.id, projectId: occasion.projectId, requestId: passage.id }
  const names: string[] = []
  let decisive: Rule | undefined
  let spoiling: Spoiling = {}
  for await (const { rule, counts } of rules.hitting(occasion, hit, (rule) => isFor(rule, passage, operation))) {
    names.push(rule.name)
    passage.header(injectedHeader, shown(names))
    const { latency } = rule.effect
    if (latency) await patience.wait(latencyMs(latency, rule.seed, counts.hits), response)
    spoiling = both(spoiling, rule.effect)
    if (decides(rule)) {
      decisive = rule
      break
    }
  }
  spoil(response, spoiling, patience)
  return { names, decisive }
}

function both({ mostBytes, dribbling }: Spoiling, { truncate, dribble }: Effect): Spoiling {
  const most = Math.min(mostBytes ?? Number.POSITIVE_INFINITY, truncate?.bytes ?? Number.POSITIVE_INFINITY)
  return {
    mostBytes: Number.isFinite(most) ? most : undefined,
    dribbling: dribbling ?? (dribble && { bytes: dribble.bytes, everyMs: durationOf(dribble.every) }),
  }
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

/** Answers as a rule wants it. Errors: that of the rule; those of the handler where the connection is reset after it. */
async function answerBy<Made>(
  rule: Rule,
  parts: RequestParts,
  passage: Passage,
  { endpoint }: PublicOperation,
  handle: () => Promise<Made>,
): Promise<Made> {
  const { error, reset: moment, sold_out: isSoldOut, no_addresses: hasNoAddress } = rule.effect
  const refusal = (failure: Failure) => refusalOf(parts, passage, rule, failure)
  if (isSoldOut) throw refusal(noRoomFor(endpoint!))
  if (hasNoAddress) throw refusal(noAddressFor(endpoint!, passage.call.body)!)
  if (moment === 'before_effect') {
    reset(passage.response)
    throw new InjectedError(rule.name, 'unavailable', `the fault '${rule.name}' has reset the connection`)
  }
  if (moment === 'after_effect') return handle().finally(() => reset(passage.response))
  if (error!.after_effect) await outcomeOf(handle)
  throw refusal(error!)
}

/** Carries a request out, or lets it be refused: nobody learns which. Errors: what is no refusal. */
async function outcomeOf(handle: () => Promise<unknown>): Promise<void> {
  try {
    await handle()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
}

/** The error of a rule, in the shape of the API. */
function refusalOf({ clock }: RequestParts, passage: Passage, rule: Rule, failure: Failure): InjectedError {
  const { code, message = `the lab answers so by its fault '${rule.name}'`, status, details = null } = failure
  const options = { details, ...(status === undefined ? {} : { status }) }
  const error = new InjectedError(rule.name, code as ErrorCode, message, options)
  if (error.status === 429) {
    // A rule without an end tells it as a bucket of 3,600 an hour fills up.
    const fullAtMs = rule.untilMs ?? clock.now() + 1_000
    passage.header('ratelimit-remaining', '0')
    passage.header('ratelimit-reset', String(Math.ceil(fullAtMs / 1_000)))
  }
  return error
}

function occasionOf(
  facts: Facts,
  { call, isRefused }: Passage,
  { id, method, type, endpoint }: PublicOperation,
): Occasion {
  const projectId = (call.scope as { readonly projectId: Occasion['projectId'] } | undefined)?.projectId
  const named = parseId(String(Object.values(call.params)[0] ?? ''))
  let subjects: ReturnType<Occasion['subjects']> | undefined
  return {
    operation: id,
    method,
    projectId,
    types: type === undefined ? [] : [type],
    ids: named === undefined ? [] : [named],
    projectName: () => facts.projectName(projectId),
    async subjects() {
      // What is refused may be about nothing, or about something that is not for who asks.
      if (isRefused || !endpoint) return []
      subjects ??= facts.ofRequest(endpoint, call as ApiCall<Endpoint>)
      return subjects
    },
  }
}
