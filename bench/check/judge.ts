/** Judges rounds in which the program was measured beside the one of the commit before, and beside a bare server. */
import { median } from '../report.ts'

/** What one round found of a measure; all three in the same unit, of which less is better. */
export interface Round {
  readonly now: number
  /** Missing where there is no commit before. */
  readonly before?: number
  /** A request to a bare server, measured in the same round. */
  readonly bare: number
}

export interface Verdict {
  readonly name: string
  /** The medians over the rounds, in requests to a bare server. */
  readonly now: number
  readonly kept?: number
  /** The median over the rounds of now / before. */
  readonly change?: number
  /** The rounds in which it was lost against the commit before, and against the figure that is kept. */
  readonly lost: number
  readonly lostOfKept: number
  readonly isLost: boolean
}

/** A loss of more than this share counts, of the commit before and of the figure that is kept. */
export const mostLost = 0.1
export const mostLostOfKept = 0.25
/** A measure is lost when so many of five rounds say so. */
export const rounds = 5
export const decisive = 3

/** Judges the rounds of one measure; `kept` is its figure in the tree for this class of machine. */
export function judge(name: string, found: readonly Round[], kept: number | undefined): Verdict {
  const changes = found.flatMap(({ now, before }) => (before === undefined ? [] : [now / before]))
  const ratios = found.map(({ now, bare }) => now / bare)
  const lost = changes.filter((change) => change > 1 + mostLost).length
  const lostOfKept = kept === undefined ? 0 : ratios.filter((ratio) => ratio > kept * (1 + mostLostOfKept)).length
  return {
    name,
    now: median(ratios),
    ...(kept === undefined ? {} : { kept }),
    ...(changes.length === 0 ? {} : { change: median(changes) }),
    lost,
    lostOfKept,
    isLost: lost >= decisive || lostOfKept >= decisive,
  }
}

const percent = (ratio: number) => `${ratio >= 1 ? '+' : ''}${((ratio - 1) * 100).toFixed(1)} %`

/** The verdicts as lines of a table, one for each measure. */
export function told(verdicts: readonly Verdict[]): string {
  const lines = verdicts.map(({ name, now, kept, change, lost, lostOfKept, isLost }) => [
    name,
    now.toFixed(2),
    kept === undefined ? '-' : `${kept.toFixed(2)} (${percent(now / kept)}, ${lostOfKept} of ${rounds})`,
    change === undefined ? '-' : `${percent(change)}, ${lost} of ${rounds}`,
    isLost ? 'LOST' : 'held',
  ])
  const all = [
    [
      'measure',
      'in bare GETs',
      `kept (most +${mostLostOfKept * 100} %)`,
      `commit before (most +${mostLost * 100} %)`,
      '',
    ],
    ...lines,
  ]
  const widths = all[0]!.map((_, column) => Math.max(...all.map((line) => line[column]!.length)))
  return all
    .map((line) =>
      line
        .map((text, column) => text.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
