/** Filtering, sorting and paging of a list that is here whole. The choices are in the address. */
import { useMemo } from 'react'
import type { Column, Sorting } from './table.tsx'

const perPage = 50

/** The state of a list in the address; everything is optional. */
export interface ListSearch {
  readonly q?: string | undefined
  readonly sort?: Sorting | undefined
  /** Starts at 1; 0 shows all. */
  readonly page?: number | undefined
}

/** Reads what the address says about a list; a filter may be called `label`, as links to those with a label say. */
export function listSearch(search: Record<string, unknown>): ListSearch {
  const { label, q = label, sort, page } = search
  return {
    ...(typeof q === 'string' && q ? { q } : {}),
    ...(typeof sort === 'string' && sort ? { sort } : {}),
    ...(Number.isInteger(Number(page)) && page !== undefined ? { page: Number(page) } : {}),
  }
}

interface ListOptions<Row> {
  readonly rows: readonly Row[]
  /** The number of rows that are not here; those that are begin the list in the order of the API. */
  readonly more?: number
  readonly columns: readonly Column<Row>[]
  readonly search: ListSearch
  readonly defaultSort: Sorting
  /** Returns whether a row stays; `undefined` keeps all. */
  readonly keeps?: ((row: Row) => boolean) | undefined
}

interface ListView<Row> {
  /** The rows of the page. */
  readonly shown: readonly Row[]
  /** All that fit the filter, in order. */
  readonly all: readonly Row[]
  readonly total: number
  readonly page: number
  readonly perPage: number
  readonly isEvery: boolean
  readonly sorting: Sorting
}

export function useList<Row>(options: ListOptions<Row>): ListView<Row> {
  const { rows, more = 0, columns, search, defaultSort, keeps } = options
  const sorting = search.sort ?? defaultSort
  // A long list stays as it began until somebody wants it otherwise: nothing moves when the rest comes.
  const isAsBegun = search.sort === undefined && rows.length + more > perPage
  // Sorting is what takes long, so it is not done again for each letter of a filter.
  const sorted = useMemo(
    () => sortedBy(rows, columns, sorting, isAsBegun ? undefined : naturally),
    [rows, columns, sorting, isAsBegun],
  )
  const fitting = useMemo(() => (keeps ? sorted.filter(keeps) : sorted), [sorted, keeps])
  const isEvery = search.page === 0
  const last = Math.max(1, Math.ceil(fitting.length / perPage))
  const page = Math.min(Math.max(1, search.page ?? 1), last)
  const shown = isEvery ? fitting : fitting.slice((page - 1) * perPage, page * perPage)
  return {
    shown,
    all: fitting,
    total: fitting.length,
    page: isEvery ? 1 : page,
    perPage: isEvery ? Math.max(1, fitting.length + more) : perPage,
    isEvery,
    sorting,
  }
}

/** Returns a key to sort by as people count: web-10 after web-9, Ärzte beside Arzt. It is made once, not 13 times. */
export function naturally(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\d+/g, (digits) => digits.padStart(20, '0'))
}

/** Sorts rows by one of their columns. `keyOf` makes texts into what is compared; without it they are as the API sorts them. */
export function sortedBy<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sorting: Sorting,
  keyOf: (text: string) => string = (text) => text,
): readonly Row[] {
  const [key, direction] = sorting.split(':')
  const by = columns.find((column) => column.key === key)?.sort
  if (!by) return rows
  const keyed = rows.map((row) => {
    const value = by(row)
    return [typeof value === 'number' ? value : keyOf(value), row] as const
  })
  const sign = direction === 'desc' ? -1 : 1
  keyed.sort(([a], [b]) => sign * (a < b ? -1 : a > b ? 1 : 0))
  return keyed.map(([, row]) => row)
}
