/**
 * The last requests. What equal ones say is kept once, and there is no object for each: most of what recording costs is
 * the memory that a request leaves behind.
 */
import type { Recorded, Said } from './recorded.ts'

type Times = Pick<Recorded, 'atMs' | 'cameMs' | 'answeredMs'>

/** So many requests are kept, and forgotten, together. */
const perBlock = 64
/** The numbers that are kept of each. */
const perRequest = 3

interface Block {
  readonly said: Said[]
  readonly ids: string[]
  readonly times: number[]
  bytes: number
}

export class Ring {
  readonly #blocks: Block[] = []
  #newest: Block | undefined
  #bytes = 0

  get length(): number {
    return this.#newest ? (this.#blocks.length - 1) * perBlock + this.#newest.said.length : 0
  }

  /** Roughly the memory that all of them take. */
  get bytes(): number {
    return this.#bytes
  }

  add(said: Said, id: string, { atMs, cameMs, answeredMs }: Times): void {
    if (!this.#newest || this.#newest.said.length === perBlock) this.#newest = this.#begin()
    const block = this.#newest
    block.said.push(said)
    block.ids.push(id)
    block.times.push(atMs, cameMs, answeredMs)
    block.bytes += said.bytes
    this.#bytes += said.bytes
  }

  said(index: number): Said {
    return this.#blocks[Math.floor(index / perBlock)]!.said[index % perBlock]!
  }

  at(index: number): Recorded {
    const { said, ids, times } = this.#blocks[Math.floor(index / perBlock)]!
    const place = index % perBlock
    const from = place * perRequest
    const [atMs, cameMs, answeredMs] = [times[from]!, times[from + 1]!, times[from + 2]!]
    return { ...said[place]!, id: ids[place]!, atMs, cameMs, answeredMs }
  }

  /** Forgets the first ones, until so many and so much of them are left at most; returns how many were forgotten. */
  shrink(most: { readonly length: number; readonly bytes: number }): number {
    const before = this.length
    while (this.length > most.length || this.#bytes > most.bytes) {
      this.#bytes -= this.#blocks.shift()!.bytes
      if (this.#blocks.length === 0) this.#newest = undefined
    }
    return before - this.length
  }

  #begin(): Block {
    const block: Block = { said: [], ids: [], times: [], bytes: 0 }
    this.#blocks.push(block)
    return block
  }
}
