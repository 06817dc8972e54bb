/** Compares the state of the server with the acknowledged writes. */
import type { Client } from '../../test/kit/harness.ts'
import { expect } from '../../test/kit/resources.ts'
import { type Family, families, type State } from './families.ts'
import { type Known, keyOf, type Ledger } from './writer.ts'

export interface Violations {
  /** Acknowledged writes that are missing or different. */
  readonly lost: string[]
  /** Resources that nobody requested, or partial effects of a request. */
  readonly stray: string[]
}

/** Checks the state. With `settled`, all actions have ended, so delayed effects must be visible. */
export async function check(api: Client, ledger: Ledger, settled: boolean): Promise<Violations> {
  const violations: Violations = { lost: [], stray: [] }
  for (const family of families) {
    const there = await readAll(api, family)
    for (const [key, known] of ledger.known) {
      if (known.family === family) settle(key, known, there.get(key), settled, violations)
      there.delete(key)
    }
    for (const [key, state] of there) adopt(key, state, family, ledger, settled, violations)
  }
  // Creations without an answer are decided by now: they exist, or they never will.
  ledger.unsure.clear()
  return violations
}

async function readAll(api: Client, family: Family): Promise<Map<string, State>> {
  const all = new Map<string, State>()
  for (let page: number | null = 1; page !== null; ) {
    const { body } = expect(await api.get(`${family.path}?per_page=50&page=${page}`), 200)
    for (const one of body[family.path.slice(1)]) all.set(keyOf(family, one.id), await family.read(one, api))
    page = body.meta.pagination.next_page
  }
  return all
}

/** The states that the answers so far allow. */
function possible({ answered, asked }: Known): (State | undefined)[] {
  if (!asked) return [answered]
  return [answered, asked.to && { ...answered, ...asked.to }]
}

function differs(there: State | undefined, wanted: State | undefined, ignored: ReadonlySet<string>): boolean {
  if (!there || !wanted) return there !== wanted
  return Object.entries(wanted).some(([facet, value]) => !ignored.has(facet) && there[facet] !== value)
}

function settle(key: string, known: Known, there: State | undefined, settled: boolean, found: Violations): void {
  const awaited = new Set(
    settled ? [] : [...known.later, ...Object.keys(known.asked?.later ? (known.asked.to ?? {}) : {})],
  )
  const isGoing = !settled && (known.later.has('gone') || (known.asked?.later && known.asked.to === undefined))
  if (isGoing && there) return
  const wanted = possible(known)
  const fit = wanted.findIndex((state) => !differs(there, state, awaited))
  if (fit === -1) found.lost.push(`${key} is ${JSON.stringify(there)}, but was answered as ${JSON.stringify(known)}`)
  if (!settled && known.asked?.later) return
  // The outcome of an unanswered request is known by now; delayed effects are still to come.
  known.answered = fit === -1 ? there : wanted[fit]
  delete known.asked
  if (settled) known.later.clear()
}

function adopt(key: string, state: State, family: Family, ledger: Ledger, settled: boolean, found: Violations): void {
  const wanted = ledger.unsure.get(state.label ?? '')
  const awaited = new Set(settled ? [] : ['power'])
  if (wanted?.family !== family || differs(state, wanted.state, awaited)) {
    return void found.stray.push(`${key} is ${JSON.stringify(state)}, but was asked for as ${JSON.stringify(wanted)}`)
  }
  ledger.known.set(key, { family, answered: wanted.state, later: new Set(settled ? [] : ['power']) })
}

/** Acknowledged actions that are missing, still run, or have failed. */
export async function checkActions(api: Client, ledger: Ledger): Promise<string[]> {
  const ids = [...ledger.actions]
  const bad: string[] = []
  for (let i = 0; i < ids.length; i += 50) {
    const some = ids.slice(i, i + 50)
    const query = some.map((id) => `id=${id}`).join('&')
    const { actions } = expect(await api.get(`/actions?per_page=50&${query}`), 200).body
    const found = new Map<number, { status: string; command: string }>(
      actions.map((one: { id: number }) => [one.id, one]),
    )
    for (const id of some) {
      const action = found.get(id)
      if (action?.status !== 'success') bad.push(`action ${id} ${action?.command}: ${action?.status ?? 'is lost'}`)
    }
  }
  return bad
}
