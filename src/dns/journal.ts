/**
 * The latest changes of a zone in memory as the records that went and came with each (RFC 1995). There are never more of
 * them than the zone has records, since then the whole zone is the shorter answer.
 */

/** The records that a zone lost and gained from one serial to another. Records are in wire format with their owners. */
export interface ZoneDifference {
  readonly from: number
  readonly to: number
  /** The SOA record that it had, and what it lost. */
  readonly deleted: readonly Buffer[]
  /** The SOA record that it has, and what it gained. */
  readonly added: readonly Buffer[]
}

const sizeOf = ({ deleted, added }: ZoneDifference) => deleted.length + added.length

export class Journal {
  #differences: ZoneDifference[] = []
  #size = 0

  /** Adds a change; the oldest ones go when there are more than `most` records. */
  note(difference: ZoneDifference, most: number): void {
    if (difference.from === difference.to) return
    this.#differences.push(difference)
    this.#size += sizeOf(difference)
    while (this.#size > most) this.#size -= sizeOf(this.#differences.shift()!)
  }

  /** The changes since a serial, in order; undefined when they are not known. */
  since(serial: number): readonly ZoneDifference[] | undefined {
    const first = this.#differences.findIndex(({ from }) => from === serial)
    return first < 0 ? undefined : this.#differences.slice(first)
  }
}

/** The records of `some` that are not among `others`. */
export function without(some: readonly Buffer[], others: readonly Buffer[]): Buffer[] {
  const known = new Set(others.map((bytes) => bytes.toString('latin1')))
  return some.filter((bytes) => !known.has(bytes.toString('latin1')))
}
