/**
 * Lists: one way for all families to page, sort, filter and select by labels, at a cost that does not grow with the
 * family. Without a selector the database pages by an index. With one, rows are read in small steps, starting from the
 * most telling label where that helps, and judged by the same `matches` that firewalls use; between steps other requests
 * get their turn. Totals under a selector are given only when they are known without counting (spec: Pagination object).
 */
import type { Static } from 'typebox'
import { maxPerPage, type Pagination, type Sort } from '../contract/contract.ts'
import { matches, type Selector, type Term } from '../contract/selectors.ts'
import type { Queries } from '../data/db.ts'
import { ApiError } from '../errors.ts'
import { type AtOnce, after, inSteps, type Steps, value } from '../process/at-once.ts'
import { turn } from '../process/turns.ts'
import type { ProjectScope } from '../scope.ts'
import { looks, readLabels } from './label-index.ts'
import { type Filters, type ListedRow, type Listing, Source } from './source.ts'

export interface PageRequest {
  readonly page: number
  readonly per_page: number
}

/** One request for a page, as `listing(...)` of the contract parses it. */
export interface PageQuery extends PageRequest {
  readonly sort: readonly Sort[]
  readonly name?: string | undefined
  readonly label_selector?: Selector | undefined
}

export interface Page<Row> {
  readonly rows: Row[]
  readonly pagination: Static<typeof Pagination>
}

const stepRows = 500
/** The rows of the first step of a selector: most find a page in it. */
const firstRows = maxPerPage + 1
/** The most rows of a statement that reads a page; only the console asks for wider ones. */
const pageRows = maxPerPage * 2
/** This many rows are judged between looks at the time. */
const judgedAtOnce = 8
/** The most rows that a selector is compared with: some seconds of work, however long a busy machine takes for it. */
const maxJudged = 400_000

/** One page of a family's rows. Errors: `timeout` when a selector matches too little to find within `maxJudged` rows. */
export function listPage<Row>(
  queries: Queries,
  scope: ProjectScope,
  listing: Listing,
  query: PageQuery,
  filters: Filters = {},
): AtOnce<Page<Row>> {
  const source = new Source(queries, scope, listing, query, filters)
  return pageBy(query, {
    read: (skip, take) => inSteps(slice(source, query.label_selector, skip, take)) as AtOnce<unknown> as AtOnce<Row[]>,
    count: () => (query.label_selector ? null : source.count()),
  })
}

/** How a page is read. */
interface Reading<Row> {
  read(skip: number, take: number): AtOnce<readonly Row[]>
  /** How many there are in all; null when nobody counts them. */
  count(): AtOnce<number | null>
}

/** One page of rows, for which one more than fits is read; they are counted where that does not tell how many there are. */
export function pageBy<Row>(request: PageRequest, reading: Reading<Row>): AtOnce<Page<Row>> {
  return inSteps(pageInSteps(request, reading))
}

function* pageInSteps<Row>(request: PageRequest, { read, count }: Reading<Row>): Steps<Page<Row>> {
  const { page, per_page } = request
  const found = yield* value(read((page - 1) * per_page, per_page + 1))
  const rows = found.slice(0, per_page)
  const pagination = numberPage(request, found.length)
  if (pagination.total_entries !== null) return { rows, pagination }
  return { rows, pagination: pageNumbers(request, found.length > per_page, yield* value(count())) }
}

function* slice(source: Source, selector: Selector | undefined, skip: number, take: number): Steps<ListedRow[]> {
  if (selector) return yield* selectByLabels(source, selector, skip, take)
  const limit = Math.min(take, pageRows)
  const next = inOrder(source, skip, limit, limit)
  const found: ListedRow[] = []
  for (;;) {
    const rows = yield* value(next())
    if (rows) found.push(...rows)
    if (!rows || found.length >= take) return found.slice(0, take)
  }
}

/** Things in memory that a list shows among a family's rows. */
export interface Joined<Item> {
  /** Those that the request shows, by id. There are few of them: each may be met on the way to any page. */
  readonly items: readonly Item[]
  readonly fieldOf: (item: Item, field: string) => string | number
  /** The filters of the rows; undefined when the request shows none of them. */
  readonly filters: Filters | undefined
}

type Listed<Row, Item> = { readonly row: Row } | { readonly item: Item }

/**
 * One page of rows and things in memory in one order. Fields by which rows cannot be sorted are null in them; null comes
 * last. At most as many rows more than fit on the page are read as there are things in memory.
 */
export function listJoined<Row, Item>(
  queries: Queries,
  scope: ProjectScope,
  listing: Listing,
  query: PageQuery,
  joined: Joined<Item>,
): AtOnce<JoinedPage<Row, Item>> {
  const sort = withId(query.sort)
  const known = sort.filter(({ field }) => field in listing.columns)
  const source = new Source(queries, scope, listing, { ...query, name: undefined, sort: known }, joined.filters ?? {})
  const isById = sort[0]!.field === 'id' && !sort[0]!.descending
  const sorted = isById ? joined.items : joined.items.toSorted((a, b) => compare(a, b, sort, joined.fieldOf))
  const order = (item: Item, row: ListedRow) => compareJoined(item, row, sort, listing, joined.fieldOf)
  return inSteps(joinedPage(source, query, { sorted, order, hasRows: joined.filters !== undefined }))
}

interface JoinedPage<Row, Item> {
  readonly entries: Listed<Row, Item>[]
  readonly pagination: Page<Row>['pagination']
}

interface Joining<Item> {
  readonly sorted: readonly Item[]
  readonly order: (item: Item, row: ListedRow) => number
  readonly hasRows: boolean
}

function* joinedPage<Row, Item>(
  source: Source,
  query: PageQuery,
  { sorted, order, hasRows }: Joining<Item>,
): Steps<JoinedPage<Row, Item>> {
  const { per_page, label_selector: selector } = query
  const offset = (query.page - 1) * per_page
  // A row has at most all the things before it, so that those of the page begin here at the earliest.
  const skip = Math.max(0, offset - sorted.length)
  const next = sorted[offset + per_page]
  // Where things in memory fill the page, its first row tells that no row is on it.
  const first = hasRows && !selector && next ? (yield* value(source.step(1, { offset: 0 })))[0] : undefined
  const isFilled = first !== undefined && order(next!, first) < 0
  const take = isFilled ? 0 : offset + per_page + 1 - skip
  const rows = hasRows && !isFilled ? yield* slice(source, selector, skip, take) : []
  const [from, to] = [offset - skip, offset - skip + per_page + 1]
  const found = rows.length === 0 ? sorted.slice(from, to).map(asItem) : merge(sorted, rows, order).slice(from, to)
  const ended = rows.length < take && (rows.length > 0 || skip === 0)
  const total = !hasRows ? 0 : ended ? skip + rows.length : selector ? null : yield* value(source.count())
  const all = total === null ? null : total + sorted.length
  const entries = found.slice(0, per_page) as Listed<Row, Item>[]
  return { entries, pagination: pageNumbers(query, found.length > per_page, all) }
}

/** The order made total by the id, which follows the direction before it. */
function withId(sort: readonly Sort[]): readonly Sort[] {
  if (sort.some(({ field }) => field === 'id')) return sort
  return [...sort, { field: 'id', descending: sort.at(-1)?.descending ?? false }]
}

function merge<Item>(
  items: readonly Item[],
  rows: readonly ListedRow[],
  order: (item: Item, row: ListedRow) => number,
) {
  const merged: Listed<ListedRow, Item>[] = []
  let next = 0
  for (const row of rows) {
    while (next < items.length && order(items[next]!, row) < 0) merged.push({ item: items[next++]! })
    merged.push({ row })
  }
  return [...merged, ...items.slice(next).map(asItem)]
}

const asItem = <Item>(item: Item) => ({ item })

function compareJoined<Item>(
  item: Item,
  row: ListedRow,
  sort: readonly Sort[],
  listing: Listing,
  fieldOf: (item: Item, field: string) => string | number,
): number {
  for (const { field, descending } of sort) {
    const column = listing.columns[field]
    if (column === undefined) return -1
    const [x, y] = [fieldOf(item, field), row[column] as string | number]
    if (x !== y) return x < y === descending ? 1 : -1
  }
  return 0
}

/**
 * The numbers of a page for which one row more than fits was asked and `found` came. A page that is not full ends the
 * list and so tells how long it is; otherwise the total stays unknown.
 */
export function numberPage(request: PageRequest, found: number): Static<typeof Pagination> {
  const { page, per_page } = request
  const more = found > per_page
  const ends = !more && (found > 0 || page === 1)
  return pageNumbers(request, more, ends ? (page - 1) * per_page + found : null)
}

function pageNumbers({ page, per_page }: PageRequest, more: boolean, total: number | null): Static<typeof Pagination> {
  return {
    page,
    per_page,
    previous_page: page > 1 ? page - 1 : null,
    next_page: more ? page + 1 : null,
    last_page: total === null ? null : Math.max(1, Math.ceil(total / per_page)),
    total_entries: total,
  }
}

function* selectByLabels(source: Source, selector: Selector, skip: number, take: number): Steps<ListedRow[]> {
  const first = source.sort[0]!
  if (first.column === 'id') {
    // Most lists need no second step: the first is as small as a page, and is not worth looking long for a rarer label.
    const term = yield* value(source.rarest(selector, looks.first))
    const rows = term
      ? byLabel(source, selector, term, first.descending, skip + take)
      : inOrder(source, 0, firstRows, stepRows)
    return yield* gathering(rows, selector, skip, take)
  }
  const term = yield* value(source.rarest(selector))
  const candidates = term && (yield* value(source.candidates(term)))
  return yield* gathering(candidates ? once(candidates) : inOrder(source, 0, firstRows, stepRows), selector, skip, take)
}

/** Reads on: each call gives some rows more, and undefined when there are none left. */
type NextRows = () => AtOnce<readonly ListedRow[] | undefined>

function once(rows: readonly ListedRow[]): NextRows {
  let left: readonly ListedRow[] | undefined = rows
  return () => {
    const given = left
    left = undefined
    return given
  }
}

/**
 * Reads on, keeps what matches, and stops as soon as the page is full. Errors: `timeout` after `maxJudged` rows that do not
 * fill it.
 */
export function gather(next: NextRows, selector: Selector, skip: number, take: number): AtOnce<ListedRow[]> {
  return inSteps(gathering(next, selector, skip, take))
}

function* gathering(next: NextRows, selector: Selector, skip: number, take: number): Steps<ListedRow[]> {
  const found: ListedRow[] = []
  let skipped = 0
  let judged = 0
  for (;;) {
    const rows = yield* value(next())
    if (!rows) return found
    for (const row of rows) {
      const wait = judged++ % judgedAtOnce === 0 ? turn() : undefined
      if (wait) yield wait
      if (!matches(selector, readLabels(row.labels))) continue
      if (skipped < skip) skipped++
      else if (found.push(row) === take) return found
    }
    if (judged >= maxJudged) throw new ApiError('timeout', 'the label selector matches too few resources')
  }
}

/** Rows by id, from a label of the selector, of which so many are wanted. */
function byLabel(source: Source, selector: Selector, start: Term, descending: boolean, wanted: number): NextRows {
  const isAllWanted = selector.terms.length === 1
  let limit = isAllWanted ? Math.min(wanted, firstRows) : firstRows
  let term = start
  let last: ListedRow | undefined
  let isOver = false
  function* step(): Steps<readonly ListedRow[] | undefined> {
    if (isOver) return undefined
    if (last && limit < stepRows) {
      term = (yield* value(source.rarest(selector, looks.further)))!
      limit = stepRows
    }
    const rows = yield* value(source.labelled(term, { after: last?.id, descending, limit }))
    isOver = rows.length < limit
    last = rows.at(-1)
    return source.fitting(rows)
  }
  return () => inSteps(step())
}

/** Rows in order from one on: so many in the first step, and in each one after it. */
function inOrder(source: Source, from: number, first: number, others: number): NextRows {
  const [one, second, third] = source.sort
  const oneIndex = !third && (!second || (second.column === 'id' && second.descending === one!.descending))
  let limit = first
  let last: ListedRow | undefined
  let offset = from
  let isOver = false
  return () => {
    if (isOver) return undefined
    return after(source.step(limit, oneIndex && last ? { after: last } : { offset }), (rows) => {
      isOver = rows.length < limit
      offset += limit
      limit = others
      last = rows.at(-1)
      return rows
    })
  }
}

/** One page of things that are in memory already, sorted by the given fields; the order given is by id. */
export function pageOf<T>(
  items: readonly T[],
  request: PageRequest & { readonly sort?: readonly Sort[] },
  fieldOf: (item: T, field: string) => string | number = () => 0,
): Page<T> {
  const { page, per_page, sort = [] } = request
  const sorted = sort.length === 0 ? items : [...items].sort((a, b) => compare(a, b, sort, fieldOf))
  const start = (page - 1) * per_page
  const more = items.length > start + per_page
  return {
    rows: sorted.slice(start, start + per_page),
    pagination: pageNumbers(request, more, items.length),
  }
}

function compare<T>(a: T, b: T, sort: readonly Sort[], fieldOf: (item: T, field: string) => string | number): number {
  for (const { field, descending } of sort) {
    const [x, y] = [fieldOf(a, field), fieldOf(b, field)]
    if (x !== y) return x < y === descending ? 1 : -1
  }
  return 0
}
