/**
 * Rows on SQLite that are written shortly before the commit, those of all transactions of a group by one statement. Nobody
 * can tell: a statement that may see them, or what comes of them, is run after they have been written.
 */
import type { CompiledQuery, QueryCompiler } from 'kysely'
import { type RowShape, rowOf } from './row-shapes.ts'

/** The rows of one insert. */
interface Late {
  readonly shape: RowShape
  readonly values: readonly unknown[]
}

/** So many rows are written by one statement, or half as many as often as it takes. */
const mostAtOnce = 32

/** The tables whose rows concern the statement of a text; true for all tables. */
type Concerned = ReadonlySet<string> | true

/** So many texts are known by what concerns them. */
const mostTexts = 500

export class LateRows {
  readonly #run: (text: string, values: readonly unknown[]) => void
  readonly #compiler: QueryCompiler
  readonly #concerned = new Map<string, Concerned>()
  #waiting: Late[] = []
  #tables = new Set<string>()
  #isOpen = false
  /** The number of inserts that waited when the current transaction began. */
  #ofOthers = 0
  #hasWritten = false
  #hasWrittenOwn = false
  #failure: { readonly error: unknown } | undefined

  constructor(compiler: QueryCompiler, run: (text: string, values: readonly unknown[]) => void) {
    this.#compiler = compiler
    this.#run = run
  }

  /** Begins a group, whose rows wait if `isOpen`. */
  beginGroup(isOpen: boolean): void {
    this.#isOpen = isOpen
    this.#hasWritten = false
    this.#failure = undefined
    this.#keep(0)
  }

  /** Begins a transaction of the group. */
  begin(): void {
    this.#ofOthers = this.#waiting.length
    this.#hasWrittenOwn = false
  }

  /** Forgets the inserts of the current transaction, which has failed. */
  drop(): void {
    if (this.#ofOthers < this.#waiting.length) this.#keep(this.#ofOthers)
  }

  /** Takes the rows of an insert; false for a statement that has to run now. */
  add(compiled: CompiledQuery, values: readonly unknown[]): boolean {
    const shape = this.#isOpen && rowOf(compiled, this.#compiler)
    if (!shape) return false
    this.#waiting.push({ shape, values })
    this.#tables.add(shape.table)
    return true
  }

  /** Whether the group has written any. */
  get hasWritten(): boolean {
    return this.#hasWritten
  }

  /** Whether any of the current transaction are written. */
  get hasWrittenOwn(): boolean {
    return this.#hasWrittenOwn
  }

  /** Why some could not be written before a statement, which may have been that of another transaction than theirs. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure
  }

  /** Writes rows that a statement may see. Errors: those of the rows. */
  before(text: string): void {
    if (this.#waiting.length === 0) return
    const concerned = this.#concernedBy(text)
    if (concerned !== true && ![...this.#tables].some((table) => concerned.has(table))) return
    try {
      this.write()
    } catch (error) {
      this.#failure = { error }
      throw error
    }
  }

  /** Writes all rows. Errors: those of the database, after which it is unknown which were written. */
  write(): void {
    if (this.#waiting.length === 0) return
    const byShape = Map.groupBy(this.#waiting, ({ shape }) => shape)
    this.#hasWritten = true
    this.#hasWrittenOwn ||= this.#waiting.length > this.#ofOthers
    this.#ofOthers = 0
    this.#keep(0)
    // In the order in which each was first needed, since a row may refer to one before it.
    for (const [shape, inserts] of byShape) this.#writeAll(shape, inserts)
  }

  #writeAll(shape: RowShape, inserts: readonly Late[]): void {
    const values: unknown[] = []
    for (const insert of inserts) for (const one of insert.values) values.push(one)
    for (let rows = mostAtOnce; rows >= 1; rows /= 2) {
      const length = rows * shape.width
      while (values.length >= length) this.#run(textFor(shape, rows), values.splice(0, length))
    }
  }

  #keep(size: number): void {
    this.#waiting.length = size
    this.#tables = new Set(this.#waiting.map(({ shape }) => shape.table))
  }

  #concernedBy(text: string): Concerned {
    const known = this.#concerned.get(text)
    if (known) return known
    if (this.#concerned.size >= mostTexts) this.#concerned.clear()
    const concerned = concernedBy(text)
    this.#concerned.set(text, concerned)
    return concerned
  }
}

/**
 * A statement sees the rows of tables that it names, and columns that refer to a table are named after it (`action_id`).
 * What changes rows also sees those of tables that refer to them.
 */
function concernedBy(text: string): Concerned {
  if (!/^(select|insert) /.test(text)) return true
  return new Set(Array.from(text.matchAll(/\b[a-z]\w*\b/g), ([word]) => word.replace(/_id$/, '')))
}

function textFor({ target, expressions, texts }: RowShape, rows: number): string {
  const known = texts.get(rows)
  if (known) return known
  const text = `${target} values ${Array.from({ length: rows }, () => `(${expressions})`).join(', ')}`
  texts.set(rows, text)
  return text
}
