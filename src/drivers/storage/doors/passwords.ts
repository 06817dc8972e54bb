/**
 * Checks of passwords. A hash takes a processor and 19 MiB for a while, so few run at once, and those who wait take turns by
 * account and network: whoever guesses at one account from one place waits for himself. An address that has guessed wrong
 * more often than people do is answered without a hash. A password that was right once is known by a digest that is worth
 * nothing outside of this process, and costs no hash until the account gets another one.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { FairQueue } from '../../../kernel/process/fair-queue.ts'
import { isPassword } from '../../../kernel/secrets/password-hash.ts'
import { Guesses } from './guesses.ts'
import { callerOf, networkOf } from './networks.ts'

/** Two threads of the pool are left for files. */
const atOnce = 2
/** One account and network may have so many passwords wait. */
const mostWaiting = 8
const patienceMs = 20_000
/** A wrong password is answered after so many milliseconds. */
const penaltyMs = 1_000
/** The same where no hash was computed, so that a guess is worth nothing: it need not be slow, only cheap. */
const unheardMs = 50

class Impatient extends Error {}

interface Proved {
  readonly hash: string
  readonly digest: Buffer
}

export class Passwords {
  readonly #secret = randomBytes(32)
  readonly #proved = new Map<string, Proved>()
  readonly #queue = new FairQueue<string>({
    atOnce,
    perKey: 1,
    patience: { ms: patienceMs, error: () => new Impatient('too many passwords are checked') },
  })
  readonly #waiting = new Map<string, number>()
  readonly #guesses: Guesses

  constructor(guesses = new Guesses()) {
    this.#guesses = guesses
  }

  /**
   * Tells whether a password is that of an account. `hash` is undefined when there is no such account, which takes as long.
   * False as well when too many are checked for this account and network, or when the address has guessed too often.
   * It takes a while to say so.
   */
  async isRight(username: string, hash: string | undefined, address: string, password: string): Promise<boolean> {
    const digest = createHmac('sha256', this.#secret).update(username).update('\0').update(password).digest()
    const proved = this.#proved.get(username)
    if (proved && proved.hash === hash && timingSafeEqual(proved.digest, digest)) return true
    // All that is no account is one: nobody gets more turns by making names up.
    const key = `${hash === undefined ? '' : username} ${networkOf(address)}`
    // Those that run are counted before it is known that they are wrong, so that many at once are no way around it.
    if ((this.#waiting.get(key) ?? 0) >= mostWaiting || !this.#guesses.begin(callerOf(address))) {
      await delay(unheardMs)
      return false
    }
    const isRight = await this.#check(key, password, hash)
    if (isRight && hash !== undefined) {
      this.#guesses.takeBack(callerOf(address))
      this.#proved.set(username, { hash, digest })
      return true
    }
    await delay(penaltyMs)
    return false
  }

  forget(username: string): void {
    this.#proved.delete(username)
  }

  async #check(key: string, password: string, hash: string | undefined): Promise<boolean> {
    this.#waiting.set(key, (this.#waiting.get(key) ?? 0) + 1)
    try {
      return await this.#queue.run(key, () => isPassword(password, hash))
    } catch (error) {
      if (error instanceof Impatient) return false
      throw error
    } finally {
      const left = this.#waiting.get(key)! - 1
      if (left > 0) this.#waiting.set(key, left)
      else this.#waiting.delete(key)
    }
  }
}
