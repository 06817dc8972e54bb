/**
 * Follows which tables of a database may have been written, so that what was read of the others is still true. It is
 * wrong to one side only: a statement that does not begin with `select` counts as a write of each table that it names,
 * or of all tables when it names none, whether or not it changes a row.
 */
import type { CompiledQuery } from 'kysely'
import { migrations } from '../../../src/migrations/index.ts'
import { schemaTables } from './schema.ts'
import type { Watch } from './watched-database.ts'

const tables = schemaTables().map(({ name }) => name)

/** The tables from which rows go along with deleted rows of a table, by its name. */
const followers = new Map(tables.map((name) => [name, followersOf(name)]))

function followersOf(owner: string, found = new Set<string>()): ReadonlySet<string> {
  const follows = new RegExp(`\\breferences ${owner} \\(\\w+\\) on delete\\b`)
  for (const statement of migrations.flatMap(({ statements }) => statements)) {
    const [, name] = /^(?:create|alter) table (\w+)/.exec(statement) ?? []
    if (!name || found.has(name) || !follows.test(statement)) continue
    found.add(name)
    followersOf(name, found)
  }
  return found
}

const known = new Map<string, readonly string[]>()

/** The tables that a statement may write. */
export function tablesWrittenBy(statement: string): readonly string[] {
  const found = known.get(statement) ?? (/^\s*select\b/i.test(statement) ? [] : tablesNamedIn(statement))
  known.set(statement, found)
  return found
}

function tablesNamedIn(statement: string): readonly string[] {
  const words = new Set(statement.match(/\w+/g))
  const named = tables.filter((name) => words.has(name))
  if (named.length === 0) return tables
  return words.has('delete') ? [...new Set(named.flatMap((name) => [name, ...followers.get(name)!]))] : named
}

/** How often each table may have been written by any of the worlds that share a database. */
export class Writes {
  readonly #counts = new Map<string, number>()

  countOf(table: string): number {
    return this.#counts.get(table) ?? 0
  }

  /** Watches one transaction. Its writes count once more when it has ended, because others see them only then. */
  begin(): Watch {
    const written = new Set<string>()
    return {
      before: (statement) => {
        for (const table of this.#count(statement)) written.add(table)
      },
      ended: () => this.#add(written),
    }
  }

  /** Watches statements outside of transactions. */
  readonly outside: Watch = {
    before: (statement) => void this.#count(statement),
    after: (statement) => void this.#count(statement),
  }

  #count({ sql }: CompiledQuery): readonly string[] {
    const written = tablesWrittenBy(sql)
    this.#add(written)
    return written
  }

  #add(written: Iterable<string>): void {
    for (const table of written) this.#counts.set(table, this.countOf(table) + 1)
  }
}
