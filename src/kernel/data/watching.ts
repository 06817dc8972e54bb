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

/** What a statement reads and changes: columns as `table.column`, and tables where it adds or removes rows. */
export interface Touched {
  readonly reads: readonly string[]
  readonly changes: readonly string[]
}

/** How often each thing that somebody has read had been changed by then. */
type Seen = Map<string, number>

/** Whatever a statement changes that cannot be told, such as a table that it creates. */
const anything = '*'

const harmless = new Set([
  constants.SQLITE_SELECT,
  constants.SQLITE_FUNCTION,
  constants.SQLITE_RECURSIVE,
  constants.SQLITE_PRAGMA,
  constants.SQLITE_TRANSACTION,
  constants.SQLITE_SAVEPOINT,
])

export class Changes {
  readonly #counts = new Map<string, number>()
  readonly #watching = new Set<Seen>()
  /** How often anything has been changed. */
  #total = 0
  /** Missing for a database in memory, which nobody else has. */
  readonly #othersChanges: StatementSync | undefined
  /** What the statement does that is being prepared. */
  #prepared: { readonly reads: Set<string>; readonly changes: Set<string> } | undefined

  constructor(database: DatabaseSync) {
    // SQLite changes this number when another process has written to the file.
    this.#othersChanges = database.location() === null ? undefined : database.prepare('pragma data_version')
    database.setAuthorizer((action, table, column) => {
      if (this.#prepared) this.#learn(action, table ?? '', column ?? '')
      return constants.SQLITE_OK
    })
  }

  /** Prepares a statement, and tells what it does. */
  learn(prepare: () => StatementSync): { readonly statement: StatementSync; readonly touched: Touched } {
    const learnt = { reads: new Set<string>(), changes: new Set<string>() }
    this.#prepared = learnt
    try {
      return { statement: prepare(), touched: { reads: [...learnt.reads], changes: [...learnt.changes] } }
    } finally {
      this.#prepared = undefined
    }
  }

  #learn(action: number, table: string, column: string): void {
    const { reads, changes } = this.#prepared!
    if (action === constants.SQLITE_READ) reads.add(table).add(`${table}.${column}`)
    else if (action === constants.SQLITE_UPDATE) changes.add(`${table}.${column}`)
    else if (action === constants.SQLITE_INSERT || action === constants.SQLITE_DELETE) changes.add(table)
    else if (!harmless.has(action)) changes.add(anything)
  }

  /** Notes that a statement reads. */
  read({ reads }: Touched): void {
    for (const seen of this.#watching) for (const key of reads) this.#see(seen, key)
  }

  /** Notes that a statement has changed something. */
  changed({ changes }: Touched): void {
    if (changes.length === 0) return
    this.#total++
    for (const key of changes) this.#counts.set(key, this.#countOf(key) + 1)
  }

  /**
   * What others read meanwhile is watched along with it, since nothing tells whose statement is whose; that makes it out
   * of date earlier, and never later.
   */
  readonly watch: Watch = async (read) => {
    const seen: Seen = new Map()
    const others = this.#others()
    this.#see(seen, anything)
    this.#watching.add(seen)
    try {
      const value = await read()
      let lookedAt = -1
      const isCurrent = () => {
        if (this.#others() !== others) return false
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
  #see(seen: Seen, key: string): void {
    if (!seen.has(key)) seen.set(key, this.#countOf(key))
  }

  #isUnchanged(seen: Seen): boolean {
    for (const [key, count] of seen) if (this.#countOf(key) !== count) return false
    return true
  }

  #countOf(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  #others(): unknown {
    return this.#othersChanges?.get()?.data_version
  }
}
