/**
 * Who may use the connections to the database: one Project holds at most its share, all of them together leave some to
 * the installation itself, and those that wait are served in turns, one request of each Project after another.
 */
import { unavailable } from '../db.ts'
import type { ProjectId } from '../scope.ts'

/** A Project, or the installation itself. */
type Who = ProjectId | undefined

interface Waiter {
  admit(): void
  readonly patience: NodeJS.Timeout
}

export interface TurnsOptions {
  /** How many may be in at the same time. */
  readonly places: number
  /** How many of one Project. */
  readonly perProject: number
  /** How many are never given to Projects. */
  readonly kept: number
  /** Milliseconds after which one that waits is sent away. */
  readonly patienceMs: number
}

export class Turns {
  readonly #options: TurnsOptions
  readonly #inside = new Map<Who, number>()
  /** In the order in which they are served; who was served goes to the end. */
  readonly #waiting = new Map<Who, Waiter[]>()
  #total = 0

  constructor(options: TurnsOptions) {
    this.#options = options
  }

  /** Resolves once `who` is in, and then has to `leave`. Errors: 503 `unavailable` when that takes too long. */
  async enter(who: Who): Promise<void> {
    if (this.#hasPlace(who)) return this.#admit(who)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const patience = setTimeout(() => {
      // All have the same patience, so that the first to lose it is the one that has waited longest.
      this.#takeFirst(who)
      reject(unavailable(new Error('waited too long for a connection to the database')))
    }, this.#options.patienceMs).unref()
    const queue = this.#waiting.get(who) ?? []
    queue.push({ admit: resolve, patience })
    this.#waiting.set(who, queue)
    return promise
  }

  leave(who: Who): void {
    const left = this.#inside.get(who)! - 1
    if (left > 0) this.#inside.set(who, left)
    else this.#inside.delete(who)
    this.#total--
    for (let next = this.#next(); next; next = this.#next()) {
      const { admit, patience } = this.#takeFirst(next.who)
      clearTimeout(patience)
      this.#admit(next.who)
      admit()
    }
  }

  #hasPlace(who: Who): boolean {
    const { places, perProject, kept } = this.#options
    if (this.#total >= places) return false
    if (who === undefined) return true
    const ofProjects = this.#total - (this.#inside.get(undefined) ?? 0)
    return ofProjects < places - kept && (this.#inside.get(who) ?? 0) < perProject
  }

  #admit(who: Who): void {
    this.#inside.set(who, (this.#inside.get(who) ?? 0) + 1)
    this.#total++
  }

  /** Who comes next: the installation's own work first, because all Projects depend on it. */
  #next(): { who: Who } | undefined {
    if (this.#waiting.has(undefined) && this.#hasPlace(undefined)) return { who: undefined }
    for (const who of this.#waiting.keys()) if (this.#hasPlace(who)) return { who }
    return undefined
  }

  /** Takes out the one that has waited longest; the others of its Project come after those of the other Projects. */
  #takeFirst(who: Who): Waiter {
    const queue = this.#waiting.get(who)!
    const first = queue.shift()!
    this.#waiting.delete(who)
    if (queue.length > 0) this.#waiting.set(who, queue)
    return first
  }
}
