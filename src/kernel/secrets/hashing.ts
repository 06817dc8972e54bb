/**
 * Admission to password hashing. A hash takes 19 MiB and a processor for as long as it runs, so only a few run at a
 * time and the others wait: each network has one in the line, behind which its others wait. Places go to the newest and
 * to the oldest network in turn. In a flood from many networks the oldest alone would be served after everybody else
 * has given up, and the newest alone would starve the networks that others have overtaken.
 */
import { ApiError } from '../errors.ts'
import { Rotation } from '../process/rotation.ts'

const atOnce = 2
const mostNetworks = 1_000
const patienceMs = 60_000

interface Waiter {
  admit(): void
  refuse(): void
}

const tooMany = () => new ApiError('unavailable', 'too many passwords are hashed at once; try again')

export class HashingLine {
  readonly #mostOfNetwork: number
  readonly #line = new Rotation<string, Waiter>()
  readonly #waitingOf = new Map<string, number>()
  #running = 0
  #isOldestNext = false

  /** Lets at most `mostOfNetwork` of a network wait. */
  constructor({ mostOfNetwork = 20 } = {}) {
    this.#mostOfNetwork = mostOfNetwork
  }

  get waiting(): number {
    return this.#line.size
  }

  /**
   * Runs `work`, which may hash passwords, when a caller in this network has its turn. Errors: `unavailable` when too many
   * wait or the turn does not come within a minute, before `work` has begun; those of `work`.
   */
  async run<T>(network: string, work: () => Promise<T>): Promise<T> {
    await this.#enter(network)
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  async #enter(network: string): Promise<void> {
    if (this.#running < atOnce) {
      this.#running++
      return
    }
    if ((this.#waitingOf.get(network) ?? 0) >= this.#mostOfNetwork) throw tooMany()
    if (!this.#line.has(network) && this.#waitingOf.size >= mostNetworks) {
      const [oldest] = this.#line.parties()
      this.#take(oldest!).refuse()
    }
    await this.#wait(network)
  }

  #wait(network: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    // All have the same patience, so the first one of a network to lose it is the one that has waited longest.
    const patience = setTimeout(() => this.#take(network).refuse(), patienceMs).unref()
    const settle = (end: () => void) => () => {
      clearTimeout(patience)
      end()
    }
    this.#line.add(network, { admit: settle(resolve), refuse: settle(() => reject(tooMany())) })
    this.#waitingOf.set(network, (this.#waitingOf.get(network) ?? 0) + 1)
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

  #take(network: string): Waiter {
    const left = this.#waitingOf.get(network)! - 1
    if (left > 0) this.#waitingOf.set(network, left)
    else this.#waitingOf.delete(network)
    return this.#line.takeOf(network)
  }
}
