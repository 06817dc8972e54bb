/**
 * Admission to password hashing. A hash takes 19 MiB and a processor for as long as it runs, so only a few run at a
 * time and the others wait: each party, such as a network or a Project, has one in the line, behind which its others
 * wait. Places go to the newest and to the oldest party in turn. In a flood from many parties the oldest alone would be
 * served after everybody else has given up, and the newest alone would starve those that others have overtaken.
 */
import { ApiError } from '../errors.ts'
import { Rotation } from '../process/rotation.ts'

const atOnce = 2
const mostParties = 1_000
const patienceMs = 60_000

interface Waiter {
  admit(): void
  refuse(): void
}

const tooMany = () =>
  new ApiError('unavailable', 'too many passwords are set or checked at once; try again in a moment')

export class HashingLine {
  readonly #mostOfParty: number
  readonly #line = new Rotation<string, Waiter>()
  readonly #waitingOf = new Map<string, number>()
  #running = 0
  #isOldestNext = false

  /** Lets at most `mostOfParty` of a party wait. */
  constructor({ mostOfParty = 20 } = {}) {
    this.#mostOfParty = mostOfParty
  }

  get waiting(): number {
    return this.#line.size
  }

  /**
   * Runs `work`, which may hash passwords, when a caller of this party has its turn. Errors: `unavailable` when too many
   * wait or the turn does not come within a minute, before `work` has begun; those of `work`.
   */
  async run<T>(party: string, work: () => Promise<T>): Promise<T> {
    await this.#enter(party)
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  async #enter(party: string): Promise<void> {
    if (this.#running < atOnce) {
      this.#running++
      return
    }
    if ((this.#waitingOf.get(party) ?? 0) >= this.#mostOfParty) throw tooMany()
    if (!this.#line.has(party) && this.#waitingOf.size >= mostParties) {
      const [oldest] = this.#line.parties()
      this.#take(oldest!).refuse()
    }
    await this.#wait(party)
  }

  #wait(party: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    // All have the same patience, so the first one of a party to lose it is the one that has waited longest.
    const patience = setTimeout(() => this.#take(party).refuse(), patienceMs).unref()
    const settle = (end: () => void) => () => {
      clearTimeout(patience)
      end()
    }
    this.#line.add(party, { admit: settle(resolve), refuse: settle(() => reject(tooMany())) })
    this.#waitingOf.set(party, (this.#waitingOf.get(party) ?? 0) + 1)
    return promise
  }

  #leave(): void {
    const next = [...this.#line.parties()].at(this.#isOldestNext ? 0 : -1)
    if (next === undefined) {
      this.#running--
      return
    }
    this.#isOldestNext = !this.#isOldestNext
    this.#take(next).admit()
  }

  #take(party: string): Waiter {
    const left = this.#waitingOf.get(party)! - 1
    if (left > 0) this.#waitingOf.set(party, left)
    else this.#waitingOf.delete(party)
    return this.#line.takeOf(party)
  }
}
