/** The rules of a cloud that inject faults. They are in memory alone: a copy of the cloud begins with a copy of them. */
import { invalidInput, limitExceeded, notFound, notUnique, type Problem } from '../../kernel/errors.ts'
import type { Clock, EventSource } from '../../kernel/process/clock.ts'
import { type Offered, problemsOf } from './checks.ts'
import { type FaultBody, mostFaults } from './contract.ts'
import type { Occasion } from './matching.ts'
import { Active, type Hit, Rule } from './rule.ts'

/** Rules as they were at a moment. */
export type KeptRules = readonly Pick<Active, 'rule' | 'counts' | 'decisions'>[]

export interface RulesOptions {
  readonly clock: Clock
  /** Decides what happens by chance where a rule has no seed of its own. */
  readonly seed: string
  readonly offered: Offered
  /** Is called when actions that were held may go on. */
  readonly letGo: () => void
}

const none: ReadonlySet<number> = new Set()

export class Rules {
  readonly #options: RulesOptions
  #active: readonly Active[]
  #made = 0

  constructor(options: RulesOptions, kept: KeptRules = []) {
    this.#options = options
    this.#active = kept.map(({ rule, counts, decisions }) => new Active(rule, counts, decisions))
  }

  get isEmpty(): boolean {
    return this.#active.length === 0
  }

  list(): readonly Active[] {
    return this.#active
  }

  keep(): KeptRules {
    return this.#active.map(({ rule, counts, decisions }) => ({ rule, counts, decisions: new Map(decisions) }))
  }

  /** The ids of actions that stay as they are as long as their rules are there. */
  get held(): ReadonlySet<number> {
    if (this.isEmpty) return none
    const nowMs = this.#options.clock.now()
    return new Set(this.#active.flatMap((active) => (active.rule.isOver(nowMs) ? [] : active.held)))
  }

  /** The times at which rules end that hold actions. */
  readonly ends: EventSource = async (afterMs, limit) =>
    this.#active
      .flatMap(({ rule: { untilMs = Number.NEGATIVE_INFINITY }, held }) =>
        untilMs > afterMs && held.length > 0 ? { atMs: untilMs, event: 'fault_ends' } : [],
      )
      .sort((one, other) => one.atMs - other.atMs)
      .slice(0, limit)

  /** Adds a rule. Errors: `invalid_input`, `uniqueness_error`, `resource_limit_exceeded`. */
  add(body: FaultBody): Active {
    const problems = problemsOf(body, this.#options.offered)
    if (problems.length > 0) throw invalidInput(problems)
    if (this.#active.length >= mostFaults)
      throw limitExceeded('fault_limit', `a cloud cannot have more than ${mostFaults} faults`)
    const { name = this.#freeName() } = body
    if (this.#find(name)) throw notUnique('name', `a fault named '${name}' exists already`)
    const { clock, seed } = this.#options
    const active = new Active(new Rule(name, body, { nowMs: clock.now(), seed }))
    this.#active = [...this.#active, active]
    return active
  }

  /** Errors: `invalid_input` that names the fields below `faults`. */
  check(bodies: readonly FaultBody[]): void {
    const problems = problemsOfAll(bodies, this.#options.offered)
    if (problems.length > 0) throw invalidInput(problems)
  }

  /** Replaces all rules by others that were checked. */
  replace(bodies: readonly FaultBody[]): void {
    const { clock, seed } = this.#options
    this.#become(activated(bodies, { nowMs: clock.now(), seed }))
  }

  clear(): void {
    this.#become([])
  }

  /** Errors: `not_found`. */
  remove(name: string): void {
    if (!this.#find(name)) throw notFound('fault', name)
    this.#become(this.#active.filter(({ rule }) => rule.name !== name))
  }

  /** Counts an occasion at the rules that it fits, and yields those that hit it, in their order, as long as it goes on. */
  async *hitting(
    occasion: Occasion,
    hit: Omit<Hit, 'atMs'>,
    isFor: (rule: Rule) => boolean,
  ): AsyncGenerator<Active, void, void> {
    for (const active of this.#active) {
      const { rule } = active
      const nowMs = this.#options.clock.now()
      if (!isFor(rule) || rule.isOver(nowMs) || !(await rule.fits(occasion))) continue
      if (active.take({ ...hit, atMs: nowMs })) yield active
    }
  }

  #become(active: readonly Active[]): void {
    this.#active = active
    this.#options.letGo()
  }

  #find(name: string): Active | undefined {
    return this.#active.find(({ rule }) => rule.name === name)
  }

  #freeName(): string {
    for (;;) {
      const name = `fault-${++this.#made}`
      if (!this.#find(name)) return name
    }
  }
}

/** Rules that were checked, as they are before anything fits them. */
export function activated(
  bodies: readonly FaultBody[],
  options: { readonly nowMs: number; readonly seed: string },
): readonly Active[] {
  return bodies.map((body, index) => new Active(new Rule(body.name ?? nameAt(index), body, options)))
}

const nameAt = (index: number) => `fault-${index + 1}`

/** Everything that is wrong with a list of rules, by field. */
export function problemsOfAll(bodies: readonly FaultBody[], offered: Offered): Problem[] {
  const names = new Set<string>()
  return bodies.flatMap((body, index) => {
    const found = problemsOf(body, offered)
    const name = body.name ?? nameAt(index)
    if (names.has(name)) found.push({ field: 'name', message: 'is that of another fault' })
    names.add(name)
    return found.map((problem) => ({ ...problem, field: `faults[${index}].${problem.field}` }))
  })
}
