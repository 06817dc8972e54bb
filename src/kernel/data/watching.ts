/**
 * Tells whether what was read from a SQLite database may be different by now, for whoever keeps answers. SQLite itself
 * says of each statement what it reads and changes, also by triggers and references, so that nobody keeps a list.
 */
import { constants, type DatabaseSync, type StatementSync } from 'node:sqlite'

/** What was read, and whether it is still so. */
export interface Watched<T> {
  readonly value: T
  /** False as soon as it may be different, and from then on. */
  isCurrent(): boolean
}

/**
 * Reads something and watches it. The result must depend on nothing that changes but the database, and `read` must not
 * read within a transaction, whose changes may be rolled back.
 */
export type Watch = <T>(read: () => Promise<T>) => Promise<Watched<T>>

/** What a statement reads and changes: numbers of columns, and of tables where it adds or removes rows. */
export interface Touched {
  readonly reads: readonly number[]
  readonly changes: readonly number[]
  /** True for one that only reads, and whose rows depend on nothing but what it reads: neither on the time nor on chance. */
  readonly isPure: boolean
}

/** How often each thing that somebody has read had been changed by then. */
type Seen = Map<number, number>

/** Whatever is changed that cannot be told, such as a table that a statement creates, or what another process writes. */
const anything = 0

const harmless = new Set([
  constants.SQLITE_SELECT,
  constants.SQLITE_RECURSIVE,
  constants.SQLITE_FUNCTION,
  constants.SQLITE_PRAGMA,
  constants.SQLITE_TRANSACTION,
  constants.SQLITE_SAVEPOINT,
])

/** Functions whose results depend on nothing but what they are given. */
const pureFunctions = new Set(['coalesce', 'count', 'max', 'min', 'string_agg', 'sum'])
/** Tables that are made when they are read. */
const madeTables = /^(pragma|sqlite|dbstat)/

/** Tells whether a statement depends on more than what tables hold. */
function isOther(action: number, name: string, part: string): boolean {
  if (action === constants.SQLITE_READ) return madeTables.test(name)
  return action === constants.SQLITE_PRAGMA || (action === constants.SQLITE_FUNCTION && !pureFunctions.has(part))
}

interface Learnt {
  readonly reads: Set<number>
  readonly changes: Set<number>
  /** What else it does. */
  readonly others: Set<number>
}

export class Changes {
  /** Tables as `table` and columns as `table.column`, by name. */
  readonly #numbers = new Map<string, number>()
  /** How often each of them has been changed, by number. */
  readonly #counts = [0]
  readonly #watching = new Set<Seen>()
  /** How often anything has been changed. */
  #total = 0
  /** Missing for a database in memory, which nobody else has. */
  readonly #version: StatementSync | undefined
  #seenVersion: unknown
  /** What the statement does that is being prepared. */
  #prepared: Learnt | undefined

  constructor(database: DatabaseSync) {
    // SQLite changes this number when another process has written to the file.
    this.#version = database.location() === null ? undefined : database.prepare('pragma data_version')
    this.#version?.setReturnArrays(true)
    database.setAuthorizer((action, table, column) => {
      if (this.#prepared) this.#learn(this.#prepared, action, table ?? '', column ?? '')
      return constants.SQLITE_OK
    })
  }

  /** Prepares a statement, and tells what it does. */
  learn(prepare: () => StatementSync): { readonly statement: StatementSync; readonly touched: Touched } {
    const learnt = { reads: new Set([anything]), changes: new Set<number>(), others: new Set<number>() }
    this.#prepared = learnt
    try {
      const statement = prepare()
      const { reads, changes, others } = learnt
      const isPure = reads.size > 1 && changes.size === 0 && others.size === 0
      return { statement, touched: { reads: [...reads], changes: [...changes], isPure } }
    } finally {
      this.#prepared = undefined
    }
  }

  #learn({ reads, changes, others }: Learnt, action: number, name: string, part: string): void {
    if (action === constants.SQLITE_READ) reads.add(this.#numberOf(name)).add(this.#numberOf(`${name}.${part}`))
    else if (action === constants.SQLITE_UPDATE) changes.add(this.#numberOf(`${name}.${part}`))
    else if (action === constants.SQLITE_INSERT || action === constants.SQLITE_DELETE) changes.add(this.#numberOf(name))
    else if (!harmless.has(action)) changes.add(anything)
    if (isOther(action, name, part)) others.add(action)
  }

  #numberOf(name: string): number {
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    const number = this.#counts.push(0) - 1
    this.#numbers.set(name, number)
    return number
  }

  /** Notes that a statement reads. */
  read({ reads }: Touched): void {
    for (const seen of this.#watching) for (const one of reads) this.#see(seen, one)
  }

  /** Notes that a statement has changed something. */
  changed({ changes }: Touched): void {
    if (changes.length === 0) return
    this.#total++
    for (const one of changes) this.#counts[one]!++
  }

  /** Looks whether other processes have changed anything. */
  lookForOthers(): void {
    if (!this.#version) return
    const [version] = this.#version.get() as unknown as [number]
    if (version === this.#seenVersion) return
    this.#seenVersion = version
    this.#total++
    this.#counts[anything]!++
  }

  /** How often anything has been changed so far. */
  get total(): number {
    return this.#total
  }

  /** How often what a statement reads has been changed so far. */
  changesOf({ reads }: Touched): number {
    let sum = 0
    for (const one of reads) sum += this.#counts[one]!
    return sum
  }

  /**
   * What others read meanwhile is watched along with it, since nothing tells whose statement is whose; that makes it out
   * of date earlier, and never later.
   */
  readonly watch: Watch = async (read) => {
    const seen: Seen = new Map()
    this.lookForOthers()
    this.#see(seen, anything)
    this.#watching.add(seen)
    try {
      const value = await read()
      let lookedAt = -1
      const isCurrent = () => {
        this.lookForOthers()
        if (lookedAt !== this.#total && !this.#isUnchanged(seen)) return false
        lookedAt = this.#total
        return true
      }
      return { value, isCurrent }
    } finally {
      this.#watching.delete(seen)
    }
  }

  /** What was read twice counts as it was the first time. */
  #see(seen: Seen, one: number): void {
    if (!seen.has(one)) seen.set(one, this.#counts[one]!)
  }

  #isUnchanged(seen: Seen): boolean {
    for (const [one, count] of seen) if (this.#counts[one] !== count) return false
    return true
  }
}
