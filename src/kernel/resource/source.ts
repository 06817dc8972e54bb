/** The statements of one list request. */
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { Sort } from '../contract/contract.ts'
import type { Selector, Term } from '../contract/selectors.ts'
import type { Queries } from '../data/db.ts'
import { preparedStatements } from '../data/prepared.ts'
import { past } from '../data/steps.ts'
import { type AtOnce, after } from '../process/at-once.ts'
import type { ProjectId, ProjectScope } from '../scope.ts'
import { countLabelled, type IdRange, rarestTerm, selectLabelled } from './label-index.ts'

/** The columns of every listed row. */
export interface ListedRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly labels: string
  readonly [column: string]: string | number | null
}

/** The table of a family's rows and the ways to sort them. */
export interface Listing {
  readonly table: string
  /** The type under which its labels are indexed. */
  readonly kind: string
  /** Sort field to column. */
  readonly columns: Readonly<Record<string, string>>
}

/** Columns that must have one of the given values; undefined means any. */
export type Filters = Readonly<Record<string, readonly (string | number)[] | undefined>>

/** What a request says of the rows that it asks for. */
interface Sought {
  readonly sort: readonly Sort[]
  readonly name?: string | undefined
}

/** Up to this many candidates are fetched and sorted; beyond it a label is common enough to be met on the way. */
const maxCandidates = 1_000
const maxCounted = 10_000

const steps = preparedStatements<ListedRow>()
const labelled = preparedStatements<ListedRow>()
const counts = preparedStatements<{ total: number }>()

type Select = SelectQueryBuilder<Record<string, ListedRow>, string, ListedRow>

/** The rows of one list request, as a builder of the few statements that it takes. */
export class Source {
  readonly #queries: Queries
  readonly #scope: ProjectScope
  readonly #listing: Listing
  readonly #filters: Filters
  readonly sort: readonly { column: string; descending: boolean }[]

  constructor(queries: Queries, scope: ProjectScope, listing: Listing, query: Sought, filters: Filters) {
    this.#queries = queries
    this.#scope = scope
    this.#listing = listing
    this.#filters = { ...filters, name: query.name === undefined ? undefined : [query.name] }
    const asked = query.sort.map(({ field, descending }) => ({ column: listing.columns[field]!, descending }))
    const last = asked.at(-1)
    // The id makes every order total; it follows the direction before it so that one index serves both columns.
    const complete = asked.some(({ column }) => column === 'id')
    this.sort = complete ? asked : [...asked, { column: 'id', descending: last?.descending ?? false }]
  }

  get #tables() {
    return this.#queries as unknown as Kysely<Record<string, ListedRow>>
  }

  #filtered({ projectId, filters }: Filtering): Select {
    const select = this.#tables.selectFrom(this.#listing.table).selectAll().where('project_id', '=', projectId)
    return conditions(filters).reduce((some, [column, values]) => some.where(column, 'in', values), select) as Select
  }

  #ordered(rows: Select, table = ''): Select {
    return this.sort.reduce(
      (select, { column, descending }) => select.orderBy(table + column, descending ? 'desc' : 'asc'),
      rows,
    )
  }

  get #given(): Filtering {
    return { projectId: this.#scope.projectId, filters: this.#filters }
  }

  /** Rows in order, past a number of them or past one, for which columns must all point the same way. */
  step(limit: number, { offset, after }: { readonly offset?: number; readonly after?: ListedRow | undefined }) {
    const names = this.sort.map(({ column }) => column)
    const kind = `${this.#listing.table} ${this.sort.map(({ column, descending }) => `${column} ${descending}`)} ${limit}`
    const given = { ...this.#given, offset, after: after && names.map((name) => after[name]) }
    return steps(this.#queries, kind, given, (given) => {
      const rows = this.#ordered(this.#filtered(given)).limit(limit)
      return given.after ? rows.where(past(names, given.after, this.sort[0])) : rows.offset(given.offset ?? 0)
    })
  }

  /** Counts the rows; null beyond a bound, because no request pays for counting a large family. */
  count(): AtOnce<number | null> {
    const found = counts(this.#queries, this.#listing.table, this.#given, (given) => {
      const some = this.#filtered(given)
        .clearSelect()
        .select('id')
        .limit(maxCounted + 1)
      return this.#tables.selectFrom(some.as('some')).select(sql<number>`count(*)`.as('total'))
    })
    return after(found, ([row]) => (row!.total > maxCounted ? null : row!.total))
  }

  /** The term to start from; undefined when the index knows none. */
  rarest(selector: Selector, sizes?: readonly number[]): AtOnce<Term | undefined> {
    return rarestTerm(this.#queries, this.#scope, this.#listing.kind, selector, sizes)
  }

  /** Rows that carry the term's label, whatever the filters say, as far as a range of ids asks for it and in its order. */
  labelled(term: Term, range: IdRange): AtOnce<readonly ListedRow[]> {
    const { descending } = range
    // They are in order already where the database has taken them as they came.
    return after(this.#labelled(term, range, false), (rows) =>
      rows.toSorted((a, b) => (descending ? b.id - a.id : a.id - b.id)),
    )
  }

  /** All rows that carry the term's label, in the order of the list; undefined when they are too many to be sorted. */
  candidates(term: Term): AtOnce<readonly ListedRow[] | undefined> {
    const limit = maxCandidates + 1
    return after(countLabelled(this.#queries, this.#scope, this.#listing.kind, term, limit), (count) => {
      if (count === limit) return undefined
      const found = this.#labelled(term, { after: undefined, descending: false, limit }, true)
      return after(found, (rows) => this.fitting(rows))
    })
  }

  /** Those of some rows that the filters leave. */
  fitting(rows: readonly ListedRow[]): readonly ListedRow[] {
    const all = conditions(this.#filters)
    if (all.length === 0) return rows
    return rows.filter((row) => all.every(([column, values]) => values.includes(row[column] as string)))
  }

  #labelled({ op, key, values }: Term, range: IdRange, isSorted: boolean): AtOnce<readonly ListedRow[]> {
    const { table, kind } = this.#listing
    const form = JSON.stringify([table, op, range.descending, range.limit, isSorted && this.sort])
    const given = { projectId: this.#scope.projectId, after: range.after, key, values: op === 'in' ? values : [] }
    return labelled(this.#queries, form, given, ({ projectId, after, ...label }) => {
      const ids = selectLabelled(this.#queries, { projectId }, kind, { ...label, op }, { ...range, after })
      // The join is such that the database takes the ids first. Each has its row, which has the same Project.
      const select = this.#tables
        .selectFrom(ids.as('ids'))
        .leftJoin(table, (join) =>
          join.onRef(`${table}.id`, '=', 'ids.resource_id').on(`${table}.project_id`, '=', projectId),
        )
        .selectAll(table)
      return isSorted ? this.#ordered(select as unknown as Select, `${table}.`) : select
    })
  }
}

/** What decides which rows a list shows, besides labels. */
type Filtering = {
  readonly projectId: ProjectId
  readonly filters: Filters
}

/** The columns that must have one of some values. */
function conditions(filters: Filters): [column: string, values: string[]][] {
  return Object.entries(filters).flatMap(([column, values]) => (values ? [[column, values as string[]]] : []))
}
