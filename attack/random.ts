/** Reproducible randomness. It decides what an attack does; timing still depends on the machine. */
import { createHash } from 'node:crypto'

/** xoshiro128** (Blackman, Vigna), seeded by a string. */
export class Random {
  readonly #state: Uint32Array

  constructor(seed: string) {
    const digest = createHash('sha256').update(seed).digest()
    this.#state = Uint32Array.from({ length: 4 }, (_, i) => digest.readUInt32LE(i * 4))
  }

  #bits(): number {
    const [a, b, c, d] = this.#state as unknown as [number, number, number, number]
    const rotated = Math.imul(b, 5)
    const result = Math.imul((rotated << 7) | (rotated >>> 25), 9) >>> 0
    const third = c ^ a
    const fourth = d ^ b
    this.#state.set([a ^ fourth, b ^ third, third ^ (b << 9), (fourth << 11) | (fourth >>> 21)])
    return result
  }

  /** An integer from 0 to `below` - 1. */
  below(below: number): number {
    return Math.floor((this.#bits() / 2 ** 32) * below)
  }

  chance(probability: number): boolean {
    return this.#bits() < probability * 2 ** 32
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new Error('there is nothing to pick from')
    return items[this.below(items.length)]!
  }

  bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.below(256)))
  }

  /** A generator for concurrent work: sharing one would make the numbers depend on timing. */
  fork(): Random {
    return new Random(this.bytes(16).toString('hex'))
  }
}
