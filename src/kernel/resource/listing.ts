/**
 * Lists: one way for all families to page, sort, filter and select by labels, at a cost that does not grow with the
 * family. Without a selector the database pages by an index. With one, rows are read in small steps, starting from the
 * most telling label where that helps, and judged by the same `matches` that firewalls use; between steps other requests
 * get their turn. Totals under a selector are given only when they are known without counting (spec: Pagination object).
 */
import type { Static } from 'typebox'
import { maxPerPage, type Pagination, type Sort } from '../contract/contract.ts'
import { matches, type Selector } from '../contract/selectors.ts'
import type { Queries } from '../data/db.ts'
import { ApiError } from '../errors.ts'
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
/** The most rows of a statement that reads a page; only the console asks for wider ones. */
const pageRows = maxPerPage * 2
/** This many rows are judged between looks at the time. */
const judgedAtOnce = 8
/** The most rows that a selector is compared with: some seconds of work, however long a busy machine takes for it. */
const maxJudged = 400_000

/** One page of a family's rows. Errors: `timeout` when a selector matches too little to find within `maxJudged` rows. */
export async function listPage<Row>(
  queries: Queries,
  scope: ProjectScope,
  listing: Listing,
  query: PageQuery,
  filters: Filters = {},
): Promise<Page<Row>> {
  const source = new Source(queries, scope, listing, query, filters)
  return pageBy(query, {
    read: async (skip, take) => (await slice(source, query.label_selector, skip, take)) as unknown as Row[],
    count: async () => (query.label_selector ? null : source.count()),
  })
}

/** How a page is read. */
interface Reading<Row> {
  read(skip: number, take: number): Promise<readonly Row[]>
  /** How many there are in all; null when nobody counts them. */
  count(): Promise<number | null>
}

/** One page of rows, for which one more than fits is read; they are counted where that does not tell how many there are. */
export async function pageBy<Row>(request: PageRequest, { read, count }: Reading<Row>): Promise<Page<Row>> {
  const { page, per_page } = request
  const found = await read((page - 1) * per_page, per_page + 1)
  const rows = found.slice(0, per_page)
  const pagination = numberPage(request, found.length)
  if (pagination.total_entries !== null) return { rows, pagination }
  return { rows, pagination: pageNumbers(request, found.length > per_page, await count()) }
}

async function slice(source: Source, selector: Selector | undefined, skip: number, take: number): Promise<ListedRow[]> {
  if (selector) return selectByLabels(source, selector, skip, take)
  const found: ListedRow[] = []
  for await (const rows of inOrder(source, skip, Math.min(take, pageRows))) {
    found.push(...rows)
    if (found.length >= take) break
  }
  return found.slice(0, take)
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
export async function listJoined<Row, Item>(
  queries: Queries,
  scope: ProjectScope,
  listing: Listing,
  query: PageQuery,
  { items, fieldOf, filters }: Joined<Item>,
): Promise<{ entries: Listed<Row, Item>[]; pagination: Page<Row>['pagination'] }> {
  const sort = withId(query.sort)
  const sorted = [...items].sort((a, b) => compare(a, b, sort, fieldOf))
  const offset = (query.page - 1) * query.per_page
  // A row has at most all the things before it, so that those of the page begin here at the earliest.
  const skip = Math.max(0, offset - items.length)
  const take = offset + query.per_page + 1 - skip
  const known = sort.filter(({ field }) => field in listing.columns)
  const source = new Source(queries, scope, listing, { ...query, name: undefined, sort: known }, filters ?? {})
  const rows = filters ? await slice(source, query.label_selector, skip, take) : []
  const merged = merge(sorted, rows, (item, row) => compareJoined(item, row, sort, listing, fieldOf))
  const found = merged.slice(offset - skip, offset - skip + query.per_page + 1) as Listed<Row, Item>[]
  const ended = rows.length < take && (rows.length > 0 || skip === 0)
  const total = !filters ? 0 : ended ? skip + rows.length : query.label_selector ? null : await source.count()
  const pagination = pageNumbers(query, found.length > query.per_page, total === null ? null : total + items.length)
  return { entries: found.slice(0, query.per_page), pagination }
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
  return [...merged, ...items.slice(next).map((item) => ({ item }))]
}

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

async function selectByLabels(source: Source, selector: Selector, skip: number, take: number): Promise<ListedRow[]> {
  const first = source.sort[0]!
  if (first.column === 'id')
    return gather(byLabel(source, selector, first.descending, skip + take), selector, skip, take)
  const term = await source.rarest(selector)
  const candidates = term && (await source.candidates(term))
  return gather(candidates ? once(candidates) : inOrder(source), selector, skip, take)
}

async function* once(rows: readonly ListedRow[]): AsyncGenerator<readonly ListedRow[]> {
  yield rows
}

/**
 * Walks the steps, keeps what matches, and stops as soon as the page is full. Errors: `timeout` after `maxJudged` rows that do
 * not fill it.
 */
export async function gather(
  steps: AsyncIterable<readonly ListedRow[]>,
  selector: Selector,
  skip: number,
  take: number,
): Promise<ListedRow[]> {
  const found: ListedRow[] = []
  let skipped = 0
  let judged = 0
  for await (const rows of steps) {
    for (const row of rows) {
      const wait = judged++ % judgedAtOnce === 0 ? turn() : undefined
      if (wait) await wait
      if (!matches(selector, readLabels(row.labels))) continue
      if (skipped < skip) skipped++
      else if (found.push(row) === take) return found
    }
    if (judged >= maxJudged) throw new ApiError('timeout', 'the label selector matches too few resources')
  }
  return found
}

/** Rows by id, from a label of the selector where the index knows one, of which so many are wanted. */
async function* byLabel(
  source: Source,
  selector: Selector,
  descending: boolean,
  wanted: number,
): AsyncGenerator<readonly ListedRow[]> {
  // Most lists need no second step: the first is as small as a page, and is not worth looking long for a rarer label.
  let term = await source.rarest(selector, looks.first)
  if (!term) return yield* inOrder(source)
  const isAllWanted = selector.terms.length === 1
  let limit = isAllWanted ? Math.min(wanted, maxPerPage + 1) : maxPerPage + 1
  for (let after: number | undefined; ; ) {
    const found = await source.labelled(term, { after, descending, limit })
    yield source.fitting(found)
    if (found.length < limit) return
    if (after === undefined) term = (await source.rarest(selector, looks.further))!
    after = found.at(-1)!.id
    limit = stepRows
  }
}

async function* inOrder(source: Source, from = 0, limit = stepRows): AsyncGenerator<readonly ListedRow[]> {
  const [first, second, ...others] = source.sort
  const oneIndex =
    others.length === 0 && (!second || (second.column === 'id' && second.descending === first!.descending))
  let last: ListedRow | undefined
  for (let offset = from; ; offset += limit) {
    const rows = await source.step(limit, oneIndex && last ? { after: last } : { offset })
    yield rows
    if (rows.length < limit) return
    last = rows.at(-1)
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
