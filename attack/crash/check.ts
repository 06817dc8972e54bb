/** Compares the state of the server with the acknowledged writes. */
import { keyOf, type State } from '../../test/kit/crash.ts'
import type { Client } from '../../test/kit/harness.ts'
import type { Shown } from '../../test/kit/proof.ts'
import { expect } from '../../test/kit/resources.ts'
import { traffic } from '../../test/kit/traffic.ts'
import { type Fate, type Known, type Ledger, laterFacets } from './ledger.ts'
import { stateOf, writtenFamilies } from './writes.ts'

export interface Violations {
  /** Acknowledged writes that are missing or different. */
  readonly lost: string[]
  /** Resources that nobody requested, or partial effects of a request. */
  readonly stray: string[]
}

/** Checks the state. With `settled`, all actions have ended, so delayed effects must be visible. */
export async function check(api: Client, ledger: Ledger, settled: boolean): Promise<Violations> {
  const checking = new Check(ledger, settled)
  for (const family of writtenFamilies) {
    const there = await readAll(api, family)
    for (const [key, known] of ledger.known) {
      if (known.family === family) checking.settle(known, there.get(key)?.state)
      there.delete(key)
    }
    for (const one of there.values()) checking.adopt(family, one)
  }
  // Creations without an answer are decided by now: they exist, or they never will.
  ledger.unsure.clear()
  return checking
}

/** A resource that is there. */
interface There {
  readonly key: string
  readonly shown: Shown
  readonly state: State
}

async function readAll(api: Client, family: string): Promise<Map<string, There>> {
  const all = new Map<string, There>()
  const query = traffic.get(family)!.query
  for (let page: number | null = 1; page !== null; ) {
    const { body } = expect(await api.get(`/${family}?per_page=50&page=${page}${query ? `&${query}` : ''}`), 200)
    for (const shown of body[family]) {
      const state = await stateOf(family, shown, api)
      const key = keyOf(family, shown.id)
      if (state) all.set(key, { key, shown, state })
    }
    page = body.meta.pagination.next_page
  }
  return all
}

class Check implements Violations {
  readonly lost: string[] = []
  readonly stray: string[] = []
  readonly #ledger: Ledger
  readonly #settled: boolean

  constructor(ledger: Ledger, settled: boolean) {
    this.#ledger = ledger
    this.#settled = settled
  }

  /** Compares a known resource with what is there, and takes down what became of an unanswered request. */
  settle(known: Known, there: State | undefined): void {
    const { key, asked, later, answered } = known
    const asking = asked ? laterFacets(asked, asked.to) : []
    const awaited = new Set(this.#settled ? [] : [...later, ...asking])
    if (awaited.has('gone') && there) return
    const wanted = [answered, ...(asked ? [asked.to === 'gone' ? undefined : { ...answered, ...asked.to }] : [])]
    const fit = wanted.findIndex((state) => this.#agree(there, state, awaited))
    if (fit === -1) this.lost.push(`${key} is ${JSON.stringify(there)}, but was answered as ${told(known)}`)
    if (!this.#settled && asking.length > 0) return
    // The outcome of an unanswered request is known by now; delayed effects are still to come.
    known.answered = fit === -1 ? there : wanted[fit]
    delete known.asked
    if (this.#settled) later.clear()
  }

  /** Takes in a resource of which no answer has told: one that was asked for without an answer. */
  adopt(family: string, { key, shown, state }: There): void {
    const wanted = this.#ledger.unsure.get(state.label ?? '')
    const awaited = new Set(this.#settled ? [] : (wanted?.later ?? []))
    if (wanted?.family !== family || !this.#agree(state, wanted.state, awaited)) {
      return void this.stray.push(`${key} is ${JSON.stringify(state)}, but was asked for as ${JSON.stringify(wanted)}`)
    }
    const { owner } = wanted
    this.#ledger.known.set(key, { family, id: shown.id, key, owner, shown, answered: wanted.state, later: awaited })
  }

  /** Whether what is there is as wanted; undefined is what is gone. */
  #agree(there: State | undefined, wanted: State | undefined, awaited: ReadonlySet<string>): boolean {
    if (!wanted) return there === undefined
    const holder = wanted.with ? this.#fateOf(wanted.with) : 'there'
    if (!there) return holder !== 'there'
    if (holder === 'gone') return false
    return Object.entries(wanted).every(([facet, text]) => awaited.has(facet) || this.#shows(there[facet], text))
  }

  /** Whether a facet shows a text; words that name what goes may be there until it is gone. */
  #shows(there: string | undefined, text: string): boolean {
    if (there === undefined || text === '?') return there !== undefined
    const [shown, wanted] = [wordsOf(there), wordsOf(text)]
    const mayGo = (word: string) => this.#fateIn(word) === 'perhaps'
    const isShown = (word: string) => mayGo(word) || shown.has(word) === (this.#fateIn(word) === 'there')
    return [...wanted].every(isShown) && [...shown].every((word) => wanted.has(word) || mayGo(word))
  }

  #fateIn(word: string): Fate {
    const named = this.#ledger.keyIn(word)
    return named ? this.#fateOf(named) : 'there'
  }

  #fateOf(key: string) {
    return this.#ledger.fateOf(key, this.#settled)
  }
}

const wordsOf = (text: string) => new Set(text.split(' ').filter((word) => word !== ''))

const told = ({ answered, asked, later }: Known) => JSON.stringify({ answered, asked, later: [...later] })

/** Acknowledged actions that are missing, still run, or failed as they may not. */
export async function checkActions(api: Client, ledger: Ledger): Promise<string[]> {
  const ids = [...ledger.actions.keys()]
  const bad: string[] = []
  for (let i = 0; i < ids.length; i += 50) {
    const some = ids.slice(i, i + 50)
    const query = some.map((id) => `id=${id}`).join('&')
    const { actions } = expect(await api.get(`/actions?per_page=50&${query}`), 200).body
    const found = new Map<number, { status: string; command: string; error: { code: string } | null }>(
      actions.map((one: { id: number }) => [one.id, one]),
    )
    for (const id of some) {
      const action = found.get(id)
      const mayFail = action?.error && ledger.actions.get(id)!.includes(action.error.code)
      if (action?.status === 'success' || mayFail) continue
      bad.push(`action ${id} ${action?.command}: ${action?.status ?? 'is lost'} ${JSON.stringify(action?.error)}`)
    }
  }
  return bad
}
