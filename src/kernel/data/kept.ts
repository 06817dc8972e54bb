/**
 * What was made of rows, for rows that are read again as they were. Nothing kept can be out of date, whoever writes: the row
 * is read each time, and all of its columns are compared. So nobody has to be told of changes.
 */

/** Bounds for each kind of row. */
const mostRows = 1_000
const usualCharacters = 1_000_000

type AnyRow = Readonly<Record<string, unknown>> & { readonly id: number }

let isOff = false

/** Lets nothing be kept in this process from now on, which tests compare with what is kept. */
export function keepNothing(): void {
  isOff = true
}

/** Whether anything may be kept in this process. */
export function keepsAnything(): boolean {
  return !isOff
}

interface KeptItem<Item> {
  readonly row: AnyRow
  readonly item: Item
}

/** Items made of rows. Who reads a row that has not changed gets the same item again, and must not change it. */
export class KeptItems<Row extends { readonly id: number }, Item> {
  readonly #make: (row: Row) => Item
  readonly #mostCharacters: number
  readonly #entries = new Map<number, KeptItem<Item>>()
  #characters = 0

  constructor(make: (row: Row) => Item, { mostCharacters = usualCharacters } = {}) {
    this.#make = make
    this.#mostCharacters = mostCharacters
  }

  of(row: Row): Item {
    const read = row as unknown as AnyRow
    const known = isOff ? undefined : this.#entries.get(row.id)
    if (known && isSame(known.row, read)) return known.item
    const item = this.#make(row)
    if (known) this.#drop(known.row)
    this.#keep(read, item)
    return item
  }

  #drop(row: AnyRow): void {
    this.#entries.delete(row.id)
    this.#characters -= charactersOf(row)
  }

  #keep(row: AnyRow, item: Item): void {
    this.#characters += charactersOf(row)
    if (this.#entries.size >= mostRows || this.#characters > this.#mostCharacters) {
      this.#entries.clear()
      this.#characters = charactersOf(row)
    }
    this.#entries.set(row.id, { row, item })
  }
}

/**
 * Parts made of what belongs to each of several owners, of which none but that is shown. An owner of nothing has a part, too.
 * Who reads what has not changed gets the same part again, and must not change it.
 */
export function keptParts<Owned extends object, Part extends object>(
  ownerOf: (owned: Owned) => number,
  make: (own: readonly Owned[]) => Part,
): (owned: readonly Owned[]) => (owner: number) => Part {
  const kept = new Map<number, { readonly own: readonly Owned[]; readonly part: Part }>()
  const none = make([])
  const partOf = (owner: number, own: readonly Owned[]) => {
    const known = isOff ? undefined : kept.get(owner)
    if (known && areSame(known.own, own)) return known.part
    const part = make(own)
    if (kept.size >= mostRows) kept.clear()
    kept.set(owner, { own, part })
    return part
  }
  return (owned) => {
    if (owned.length === 0) return () => none
    const byOwner = Map.groupBy(owned, ownerOf)
    return (owner) => {
      const own = byOwner.get(owner)
      return own ? partOf(owner, own) : none
    }
  }
}

function areSame(some: readonly object[], others: readonly object[]): boolean {
  return some.length === others.length && some.every((one, index) => isSame(one as AnyRow, others[index] as AnyRow))
}

function isSame(a: AnyRow, b: AnyRow): boolean {
  if (a === b) return true
  for (const column in b) if (a[column] !== b[column]) return false
  return true
}

function charactersOf(row: AnyRow): number {
  let sum = 0
  for (const column in row) if (typeof row[column] === 'string') sum += row[column].length
  return sum
}
