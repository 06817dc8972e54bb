/**
 * Signatures for names that a zone does not have are bounded by time, because there is no end of such names. Over UDP,
 * whoever asks for more is sent to TCP, where a flood from forged addresses does not come.
 */

/** No signature can be made now. */
export class SignaturesSpent extends Error {}

/** Signatures per second for names that zones do not have over each of UDP and TCP, unless the operator says otherwise. */
export const usualSignatures = 2_000

export class Allowance {
  readonly #perSecond: number
  #left: number
  #since = performance.now()

  constructor(perSecond: number) {
    this.#perSecond = perSecond
    this.#left = perSecond
  }

  /** Takes one signature. Errors: `SignaturesSpent`. */
  take(): void {
    const now = performance.now()
    this.#left = Math.min(this.#perSecond, this.#left + ((now - this.#since) * this.#perSecond) / 1_000)
    this.#since = now
    if (this.#left < 1) throw new SignaturesSpent('no more signatures are made in this second')
    this.#left--
  }
}
