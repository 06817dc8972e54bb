/** What the writers of the attack were told, and what they asked for in vain. */
import type { CrashWrite, State } from '../../test/kit/crash.ts'
import type { Shown } from '../../test/kit/proof.ts'

/** The recorded knowledge about one resource. */
export interface Known {
  readonly family: string
  readonly id: number
  readonly key: string
  /** The writer that changes it. */
  readonly owner: string
  /** It as an answer showed it first. */
  readonly shown: Shown
  /** The state that was answered last; undefined after a deletion. */
  answered: State | undefined
  /** The later write without an answer, which may or may not have been carried out. */
  asked?: CrashWrite
  /** Facets that change only when actions have ended; `gone` of a deletion. */
  readonly later: Set<string>
}

/** A creation without an answer. */
export interface Unsure {
  readonly family: string
  readonly owner: string
  readonly state: State
  readonly later: readonly string[]
}

export type Fate = 'there' | 'gone' | 'perhaps'

/** The facets of a change that show later; `gone` of a deletion. */
export function laterFacets({ later = [] }: CrashWrite, changed: State | 'gone' | undefined): readonly string[] {
  if (later !== 'all') return later
  return changed === 'gone' ? ['gone'] : Object.keys(changed ?? {})
}

export class Ledger {
  readonly known = new Map<string, Known>()
  /** By version. */
  readonly unsure = new Map<string, Unsure>()
  /** The actions of acknowledged writes, with the codes with which each may fail. */
  readonly actions = new Map<number, readonly string[]>()
  /** How many writes of each kind were acknowledged. */
  readonly counts: Map<string, number>
  /** Answers that are neither a success nor a refusal that the contract declares for what there is. */
  readonly unexplained: string[] = []
  #versions = 0
  #acknowledged = 0

  constructor(counts = new Map<string, number>()) {
    this.counts = counts
  }

  /**
   * Returns another ledger of what this one knows, for a copy of the cloud, so that kinds are counted together. Its versions
   * come after `versions`.
   */
  copy(versions: number): Ledger {
    const copied = new Ledger(this.counts)
    copied.#versions = versions
    for (const [key, known] of this.known) copied.known.set(key, { ...known, later: new Set(known.later) })
    for (const [id, mayFail] of this.actions) copied.actions.set(id, mayFail)
    return copied
  }

  get acknowledged(): number {
    return this.#acknowledged
  }

  /** Returns a number that no other write has. */
  nextVersion(): number {
    return ++this.#versions
  }

  count(kind: string): void {
    this.#acknowledged += 1
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1)
  }

  /** Whether a resource is there, as far as answers tell; `settled` means that no action is under way. */
  fateOf(key: string, settled = false): Fate {
    const known = this.known.get(key)
    if (!known?.answered) return known?.later.has('gone') && !settled ? 'perhaps' : 'gone'
    const own: Fate = known.asked?.to === 'gone' ? 'perhaps' : 'there'
    const holder = known.answered.with ? this.fateOf(known.answered.with, settled) : 'there'
    return [own, holder].find((fate) => fate === 'gone') ?? [own, holder].find((fate) => fate === 'perhaps') ?? 'there'
  }

  /** The resource that a word of a facet names, if it names one. */
  keyIn(word: string): string | undefined {
    const [key = ''] = word.split(':')
    return this.known.has(key) ? key : undefined
  }

  /** What a resource shows when all is done that was answered; undefined when it is gone. */
  stateOf({ key, answered }: Known): State | undefined {
    if (!answered || this.fateOf(key, true) === 'gone') return undefined
    const isLeft = (word: string) => {
      const named = this.keyIn(word)
      return !named || this.fateOf(named, true) !== 'gone'
    }
    const left = (text: string) => text.split(' ').filter(isLeft).join(' ')
    return Object.fromEntries(Object.entries(answered).map(([facet, text]) => [facet, left(text)]))
  }
}
