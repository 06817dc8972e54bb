/** One rule: what it is about, and which of that it hits. */
import { parseInstant } from '../../kernel/contract/instants.ts'
import type { ProjectId } from '../../kernel/scope.ts'
import { draw } from './chance.ts'
import type { FaultBody } from './contract.ts'
import { durationOf } from './durations.ts'
import { type Fits, matcherOf, type Occasion } from './matching.ts'

/** A request or an action that a rule has hit. */
export interface Hit {
  readonly atMs: number
  /** The operation, or the command of an action. */
  readonly operation: string
  readonly projectId: ProjectId | undefined
  readonly requestId?: string
  readonly actionId?: number
  /** What a service beside the API was asked about. */
  readonly subject?: string
}

/** The numbers that change with each request. */
export interface Counts {
  /** The number of those that have fitted so far. */
  readonly fitting: number
  readonly hits: number
  /** The newest last. */
  readonly lastHits: readonly Hit[]
}

const mostLastHits = 20
const nothing: Counts = { fitting: 0, hits: 0, lastHits: [] }

export class Rule {
  readonly name: string
  readonly body: FaultBody
  /** Milliseconds of the lab's clock; undefined for one that does not end by itself. */
  readonly untilMs: number | undefined
  readonly seed: string
  readonly #fits: Fits

  constructor(name: string, body: FaultBody, { nowMs, seed }: { readonly nowMs: number; readonly seed: string }) {
    const { when = {} } = body
    this.name = name
    this.body = body
    this.seed = `${when.seed ?? seed} ${name}`
    this.untilMs = when.for === undefined ? instantIn(when.until) : nowMs + durationOf(when.for)
    this.#fits = matcherOf(body.match ?? {}, body.fault.sold_out ?? body.fault.no_addresses)
  }

  get effect(): FaultBody['fault'] {
    return this.body.fault
  }

  isOver(nowMs: number): boolean {
    return this.untilMs !== undefined && nowMs >= this.untilMs
  }

  fits(occasion: Occasion): Promise<boolean> {
    return this.#fits(occasion)
  }

  /** Tells whether it hits the next one that fits; `counts` has that one already. */
  hits({ fitting, hits }: Counts): boolean {
    const { first, after = 0, every = 1, share } = this.body.when ?? {}
    if (first !== undefined && hits >= first) return false
    if (fitting <= after || (fitting - after - 1) % every !== 0) return false
    return share === undefined || draw(this.seed, 'share', fitting) < share
  }
}

/** The fate of an action that fits a rule: it was missed, or hit, and then maybe postponed or held. */
export type Decision = 'missed' | 'hit' | 'postponed' | 'held'

const mostDecisions = 10_000

/** A rule with its counts. */
export class Active {
  readonly rule: Rule
  counts: Counts
  /** The fates by the ids of actions, which come by more than once; the oldest are forgotten. */
  readonly #decisions: Map<number, Decision>

  constructor(rule: Rule, counts: Counts = nothing, decisions: ReadonlyMap<number, Decision> = new Map()) {
    this.rule = rule
    this.counts = counts
    this.#decisions = new Map(decisions)
  }

  get decisions(): ReadonlyMap<number, Decision> {
    return this.#decisions
  }

  /** The ids of the actions that stay as they are until it ends. */
  get held(): readonly number[] {
    if (!this.rule.effect.action?.stays_locked) return []
    return [...this.#decisions].flatMap(([id, decision]) => (decision === 'held' ? [id] : []))
  }

  /** Counts what fits, but an action only once, and tells whether it is hit. */
  take(hit: Hit): boolean {
    const { actionId } = hit
    const decision = actionId === undefined ? undefined : this.#decisions.get(actionId)
    if (decision !== undefined) return decision !== 'missed'
    const isHit = this.#count(hit)
    if (actionId !== undefined) this.decide(actionId, isHit ? 'hit' : 'missed')
    return isHit
  }

  decide(actionId: number, decision: Decision): void {
    this.#decisions.set(actionId, decision)
    const [oldest] = this.#decisions.keys()
    if (this.#decisions.size > mostDecisions) this.#decisions.delete(oldest!)
  }

  #count(hit: Hit): boolean {
    const { fitting, hits, lastHits } = this.counts
    const counted = { ...this.counts, fitting: fitting + 1 }
    const isHit = this.rule.hits(counted)
    this.counts = isHit ? { ...counted, hits: hits + 1, lastHits: [...lastHits, hit].slice(-mostLastHits) } : counted
    return isHit
  }
}

function instantIn(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseInstant(text)
}
