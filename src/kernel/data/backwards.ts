/** Lists that go back in time by id: a page costs the same however many rows there are and however few match. */
import { nextTurn } from '../process/turns.ts'

/** One page, newest first. */
export interface PageBack<Row> {
  readonly rows: readonly Row[]
  /** The id before which the next page goes on; null at the end. A page may be short, or empty, and have a next one. */
  readonly next: number | null
}

const rowsAtOnce = 500
const mostSteps = 20

interface Walk<Row> {
  /** The rows with ids below `before`, newest first. */
  read(before: number, limit: number): Promise<readonly Row[]>
  passes(row: Row): boolean
  /** Tells whether this row and all before it are too old. */
  isOver(row: Row): boolean
}

/** Reads a page of at most `most` rows with ids below `before`, looking at 10,000 rows at most. */
export async function pageBack<Row extends { readonly id: number }>(
  { read, passes, isOver }: Walk<Row>,
  before: number,
  most: number,
): Promise<PageBack<Row>> {
  const found: Row[] = []
  let below = before
  for (let step = 0; step < mostSteps; step++) {
    if (step > 0) await nextTurn()
    const rows = await read(below, rowsAtOnce)
    for (const row of rows) {
      if (isOver(row)) return { rows: found, next: null }
      if (!passes(row)) continue
      if (found.length === most) return { rows: found, next: found.at(-1)!.id }
      found.push(row)
    }
    if (rows.length < rowsAtOnce) return { rows: found, next: null }
    below = rows.at(-1)!.id
  }
  return { rows: found, next: below }
}
