/** Clouds give out ids and addresses by themselves: a replay has others, one for each that was recorded. */
import { isIP } from 'node:net'

/** Fields whose values clouds make up. */
const givenOut = /^(id|ID|.*_id|dns_ptr|fingerprint|certificate)$/

export class Names {
  readonly #known = new Map<string, unknown>()

  /** Returns what stands now for something that was recorded: the same unless it is known otherwise. */
  now(recorded: number | string): unknown {
    const known = this.#known.get(keyOf(recorded))
    if (known !== undefined) return known
    const byText = typeof recorded === 'string' ? this.#known.get(`number ${recorded}`) : undefined
    return byText === undefined ? recorded : String(byText)
  }

  /** Tells whether two values of a field stand for the same; the first that are met together do from then on. */
  areSame(field: string, recorded: unknown, now: unknown): boolean {
    if (typeof recorded !== typeof now || (typeof recorded !== 'number' && typeof recorded !== 'string')) return false
    const key = keyOf(recorded)
    if (this.#known.has(key)) return this.#known.get(key) === now
    const isGiven = givenOut.test(field) || (isAddress(recorded) && isAddress(now))
    if (isGiven) this.#known.set(key, now)
    return isGiven
  }
}

const keyOf = (value: number | string) => `${typeof value} ${value}`

const isAddress = (value: unknown) => typeof value === 'string' && isIP(value.split('/')[0]!) !== 0
