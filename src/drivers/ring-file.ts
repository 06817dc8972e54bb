/**
 * Numbers over time in a file of fixed size: a header, then one ring of slots after the other, finer rings for the recent
 * past. A slot holds the same count of numbers in all rings.
 */
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'

const numberBytes = 8

export interface Ring {
  /** The time that a slot stands for, in seconds. */
  readonly seconds: number
  readonly slots: number
}

interface Layout {
  /** The count of numbers before the first ring. */
  readonly header: number
  /** The count of numbers in a slot. */
  readonly width: number
  readonly rings: readonly Ring[]
}

/** The file while it is open to be changed. Slots have numbers, which grow with time: the last ones are in the ring. */
export interface OpenRings {
  /** The numbers of a slot; zeros when it was never written. */
  read(ring: Ring, slot: number): Float64Array
  write(ring: Ring, slot: number, numbers: Float64Array): void
  writeHeader(numbers: Float64Array): void
}

/** A file that need not exist. Errors of all its functions: of the file system. */
export class RingFile {
  readonly #path: string
  readonly #layout: Layout

  constructor(path: string, layout: Layout) {
    this.#path = path
    this.#layout = layout
  }

  /** Opens the file for `work`, which may change it, and creates it when it is missing. */
  change(work: (rings: OpenRings) => void): void {
    const file = openSync(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600)
    const bytes = this.#layout.width * numberBytes
    const positionOf = (ring: Ring, slot: number) => this.#offsetOf(ring) + (slot % ring.slots) * bytes
    const write = (numbers: Float64Array, position: number) => writeSync(file, numbers, 0, numbers.byteLength, position)
    try {
      work({
        read: (ring, slot) => {
          const numbers = new Float64Array(this.#layout.width)
          const isThere = readSync(file, numbers, { position: positionOf(ring, slot) }) === bytes
          return isThere ? numbers : numbers.fill(0)
        },
        write: (ring, slot, numbers) => write(numbers, positionOf(ring, slot)),
        writeHeader: (numbers) => write(numbers, 0),
      })
    } finally {
      closeSync(file)
    }
  }

  /** The numbers of the header, zeros where the file has none. */
  header(): Float64Array {
    return this.#numbers(0, this.#layout.header)
  }

  /** The numbers of each slot of a ring that was ever written, in no order of time. */
  slots(ring: Ring): Float64Array[] {
    const { width } = this.#layout
    const numbers = this.#numbers(this.#offsetOf(ring), ring.slots * width)
    const all = Array.from({ length: ring.slots }, (_, slot) => numbers.subarray(slot * width, (slot + 1) * width))
    return all.filter(([first]) => first !== 0)
  }

  #offsetOf(ring: Ring): number {
    const { header, rings, width } = this.#layout
    const before = rings.slice(0, rings.indexOf(ring)).reduce((slots, one) => slots + one.slots, 0)
    return (header + before * width) * numberBytes
  }

  #numbers(position: number, count: number): Float64Array {
    const numbers = new Float64Array(count)
    const file = openIfThere(this.#path)
    if (file === undefined) return numbers
    try {
      readSync(file, numbers, { position })
      return numbers
    } finally {
      closeSync(file)
    }
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
