/** Callers wait for actions by polling, or leave them alone. */
import { operationOf, type Recorded } from './recorded.ts'

export interface Unawaited {
  readonly id: number
  readonly command: string
  /** The operation that started it. */
  readonly operation: string
  readonly project: number | null
}

/** A token, which belongs to one Project; null for all who have no valid one. */
export type Caller = number | null

/** The most actions whose end is waited for, and the most URLs that a caller is known to have asked for. */
const mostRunning = 100_000
const mostAsked = 1_000

interface Started extends Unawaited {
  readonly caller: Caller
}

/**
 * The actions that requests have started. One is awaited when an answer, whoever asked, has told its end.
 */
export class Actions {
  readonly #running = new Map<number, Started>()
  /** The paths that a caller has asked for since its last change, while actions of it ran. */
  readonly #asked = new Map<Caller, Set<string>>()
  readonly #counts = new Map<Caller, number>()

  /**
   * Takes in a request, and tells whether it was polling: it read an action that had been told as running, or it asked
   * for what its caller had asked for since its last change, while an action of that caller had been told as running.
   */
  add(recorded: Recorded, caller: Caller): boolean {
    const { method, url, status, actions, isLost } = recorded
    const isRead = method === 'GET'
    if (this.#running.size === 0 && (isRead || actions.length === 0)) return false
    const readsRunning = isRead && actions.some(({ id }) => this.#running.has(id))
    const isPolling = readsRunning || (isRead && status < 300 && this.#hasAsked(caller, url))
    if (!isRead) this.#asked.delete(caller)
    // An action that a lost answer was about has begun, but nobody has been told how it went.
    if (status < 300 && !(isRead && isLost)) for (const action of actions) this.#see(action, recorded, caller)
    return isPolling
  }

  /** Those of a caller that nobody has waited for. */
  unawaited(caller: Caller): readonly Unawaited[] {
    const own = [...this.#running.values()].filter((action) => action.caller === caller)
    return own.map(({ id, command, operation, project }) => ({ id, command, operation, project }))
  }

  #hasAsked(caller: Caller, url: string): boolean {
    if ((this.#counts.get(caller) ?? 0) === 0) return false
    const asked = this.#asked.get(caller) ?? new Set()
    this.#asked.set(caller, asked)
    if (asked.has(url)) return true
    if (asked.size < mostAsked) asked.add(url)
    return false
  }

  #see({ id, command, status }: Recorded['actions'][number], recorded: Recorded, caller: Caller): void {
    const known = this.#running.get(id)
    if (status === 'running') {
      if (known || recorded.method === 'GET') return
      if (this.#running.size >= mostRunning) this.#forget(this.#running.values().next().value as Started)
      this.#running.set(id, { id, command, operation: operationOf(recorded), project: recorded.project, caller })
      this.#count(caller, 1)
    } else if (known) this.#forget(known)
  }

  #forget({ id, caller }: Started): void {
    this.#running.delete(id)
    this.#count(caller, -1)
  }

  #count(caller: Caller, by: 1 | -1): void {
    const count = (this.#counts.get(caller) ?? 0) + by
    this.#counts.set(caller, count)
    if (count === 0) this.#asked.delete(caller)
  }
}
