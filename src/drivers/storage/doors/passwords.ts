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

/** It is not known whether a password is right: too many are checked for its account and network, or by this process. */
export class TooMany extends Error {
  constructor() {
    super('too many passwords are checked at the moment')
  }
}

interface Proved {
  readonly hash: string
  readonly digest: Buffer
}

interface Guess {
  readonly username: string
  readonly hash: string | undefined
  readonly digest: Buffer
}

export class Passwords {
  readonly #secret = randomBytes(32)
  readonly #proved = new Map<string, Proved>()
  readonly #queue = new FairQueue<string>({
    atOnce,
    perKey: 1,
    patience: { ms: patienceMs, error: () => new TooMany() },
  })
  /** What a caller is already waiting to hear, by all that it depends on. */
  readonly #underWay = new Map<string, Promise<boolean>>()
  readonly #waiting = new Map<string, number>()
  readonly #guesses: Guesses

  constructor(guesses = new Guesses()) {
    this.#guesses = guesses
  }

  /**
   * Tells whether a password is that of an account. `hash` is undefined when there is no such account, which takes as long.
   * False as well when the address has guessed too often. It takes a while to say so. A client that asks the same many times at
   * once asks once. Errors: `TooMany`.
   */
  async isRight(username: string, hash: string | undefined, address: string, password: string): Promise<boolean> {
    const digest = createHmac('sha256', this.#secret).update(username).update('\0').update(password).digest()
    const proved = this.#proved.get(username)
    if (proved && proved.hash === hash && timingSafeEqual(proved.digest, digest)) return true
    const same = `${callerOf(address)} ${hash} ${digest.toString('base64')}`
    const answer =
      this.#underWay.get(same) ??
      this.#guess({ username, hash, digest }, address, password).finally(() => this.#underWay.delete(same))
    this.#underWay.set(same, answer)
    return answer
  }

  async #guess({ username, hash, digest }: Guess, address: string, password: string): Promise<boolean> {
    const caller = callerOf(address)
    // All that is no account is one: nobody gets more turns by making names up.
    const key = `${hash === undefined ? '' : username} ${networkOf(address)}`
    if ((this.#waiting.get(key) ?? 0) >= mostWaiting) {
      await delay(unheardMs)
      throw new TooMany()
    }
    // Those that run are counted before it is known that they are wrong, so that many at once are no way around it.
    if (!this.#guesses.begin(caller)) {
      await delay(unheardMs)
      return false
    }
    let isRight: boolean
    try {
      isRight = await this.#check(key, password, hash)
    } catch (error) {
      this.#guesses.takeBack(caller)
      throw error
    }
    if (isRight && hash !== undefined) {
      this.#guesses.takeBack(caller)
      this.#proved.set(username, { hash, digest })
      return true
    }
    await delay(penaltyMs)
    return false
  }

  /** Forgets the password of an account that is no more. */
  forget(username: string): void {
    this.#proved.delete(username)
  }

  async #check(key: string, password: string, hash: string | undefined): Promise<boolean> {
    this.#waiting.set(key, (this.#waiting.get(key) ?? 0) + 1)
    try {
      return await this.#queue.run(key, () => isPassword(password, hash))
    } finally {
      const left = this.#waiting.get(key)! - 1
      if (left > 0) this.#waiting.set(key, left)
      else this.#waiting.delete(key)
    }
  }
}
