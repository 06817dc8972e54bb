/** Results of a benchmark and their table. */

export interface Row {
  readonly name: string
  readonly unit:
    | 'req/s'
    | 'queries/s'
    | 'ms'
    | 'us'
    | 'MB'
    | 'actions/s'
    | 'events/s'
    | 'servers/s'
    | 'kB'
    | 'MB/s'
    | 'files/s'
    | 's'
    | 'rows'
    | '%'
    | ''
  readonly wolke: number
  /**
   * The result of the bare route, of Knot for DNS, or without a balancer, in the same run; absent without a
   * counterpart.
   */
  readonly bare?: number
  /** The median over the rounds of wolke / bare, which differs slightly from the quotient of the medians. */
  readonly ratio?: number
  readonly p50Ms?: number
  readonly p99Ms?: number
  /** The promise and whether it was met. */
  readonly bar?: { readonly text: string; readonly met: boolean }
  readonly note?: string
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Formats a number with at most two decimals, and none where they would be noise. */
function shown(value: number | undefined): string {
  if (value === undefined) return ''
  return value.toFixed(value >= 1_000 ? 0 : value >= 100 ? 1 : 2)
}

const heading = ['benchmark', 'unit', 'wolke', 'bare', 'ratio', 'p50 ms', 'p99 ms', 'bar', '', 'note']

function cells({ name, unit, wolke, bare, ratio, p50Ms, p99Ms, bar, note = '' }: Row): string[] {
  const verdict = bar ? (bar.met ? 'met' : 'MISSED') : ''
  return [name, unit, ...[wolke, bare, ratio, p50Ms, p99Ms].map(shown), bar?.text ?? '', verdict, note]
}

/** Formats the rows as an aligned table. */
export function table(rows: readonly Row[]): string {
  const lines = [heading, ...rows.map(cells)]
  const widths = heading.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  const isNumber = (column: number) => column >= 2 && column <= 6
  return lines
    .map((line) => line.map((text, i) => (isNumber(i) ? text.padStart(widths[i]!) : text.padEnd(widths[i]!))))
    .map((line) => line.join('  ').trimEnd())
    .join('\n')
}
