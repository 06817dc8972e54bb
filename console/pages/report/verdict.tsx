/** The answer at first sight: whether the client is well behaved, and what speaks against it. */
import type { MouseEvent, ReactNode } from 'react'
import { money } from '../../lib/money.ts'
import { Card, Facts, List } from '../../ui/card.tsx'
import { Halves } from '../../ui/page.tsx'
import { Sign } from '../../ui/state.tsx'
import { date, exactTime, number, percent } from '../../words/format.ts'
import { report as w } from '../../words/report.ts'
import type { Report } from './report-data.ts'

/** The parts of the report to which a verdict leads. */
export type Part =
  | 'leftovers'
  | 'deprecations'
  | 'unknown'
  | 'unawaited'
  | 'retries'
  | 'pages'
  | 'ledger'
  | 'operations'

export const anchorOf = (part: Part) => `report-${part}`

interface Check {
  readonly part: Part
  /** What is wrong; undefined for what is well. */
  readonly bad: string | undefined
  readonly aside?: string | undefined
  /** What is well; undefined where nobody knows. */
  readonly good: string | undefined
}

interface VerdictProps {
  readonly report: Report
  /** The most that it may cost; undefined where nobody has said. */
  readonly most: string | undefined
}

export function Verdict({ report, most }: VerdictProps) {
  const checks = checksOf(report, most)
  const bad = checks.filter((check) => check.bad !== undefined)
  const good = checks.flatMap(({ bad, good }) => (bad === undefined && good !== undefined ? good : []))
  const isWell = bad.length === 0
  return (
    <Halves>
      <Card
        label={w.verdict}
        title={
          <span className="row" role="status">
            <Sign mood={isWell ? 'ok' : 'bad'} />
            {isWell ? w.well : w.toLookAt(bad.length)}
          </span>
        }
      >
        <List>
          {bad.map(({ part, bad, aside }) => (
            <li key={bad}>
              <Sign mood="bad" />
              <span>
                <Jump to={part}>{bad}</Jump>
                {aside && <small>{aside}</small>}
              </span>
            </li>
          ))}
          {good.length > 0 && (
            <li className="dim">
              <Sign mood="ok" />
              <span>
                {w.fine} {good.join(', ')}
              </span>
            </li>
          )}
        </List>
      </Card>
      <Figures report={report} />
    </Halves>
  )
}

function Figures({ report }: { readonly report: Report }) {
  const { run, requests, polling, operations, cost } = report
  const { net, currency } = cost
  const lost = operations.reduce((sum, { lost, count }) => (lost ? sum + count : sum), 0)
  const share = percent(Math.round(polling.share * 100))
  return (
    <Card title={w.figures} padded>
      <Facts
        rows={[
          [w.run, run.id === 0 ? w.whole : run.name],
          [w.from, exactTime(run.started)],
          [w.until, run.ended ? exactTime(run.ended) : w.now],
          [w.requests, number(requests)],
          [w.polling, w.ofRequests(number(polling.requests), share)],
          ...(lost > 0 ? [[w.lost, number(lost)] as const] : []),
          [w.cost, money(net, currency, 4)],
        ]}
      />
    </Card>
  )
}

/** A link to a part of the page. It leaves the address alone, which says what the report is about. */
function Jump({ to, children }: { readonly to: Part; readonly children: ReactNode }) {
  const follow = (event: MouseEvent) => {
    const part = document.getElementById(anchorOf(to))
    if (!part) return
    event.preventDefault()
    part.focus({ preventScroll: true })
    part.scrollIntoView()
  }
  return (
    <a href={`#${anchorOf(to)}`} onClick={follow}>
      {children}
    </a>
  )
}

function checksOf(report: Report, most: string | undefined): readonly Check[] {
  const { leftovers, throttling, unknown_fields: unknown, unawaited_actions: unawaited, unfollowed_pages } = report
  const limit = number(throttling.limit)
  const some = (items: readonly unknown[], form: (count: number) => string) =>
    items.length === 0 ? undefined : form(items.length)
  return [
    { part: 'leftovers', bad: some(leftovers, w.bad.leftovers), good: w.good.leftovers },
    {
      part: 'operations',
      bad: throttling.first === null ? undefined : w.bad.throttled(exactTime(throttling.first)),
      aside: w.bad.throttledText(throttling.requests, limit),
      good: w.good.throttled(limit),
    },
    deprecated(report),
    { part: 'unknown', bad: some(unknown, w.bad.unknown), good: w.good.unknown },
    { part: 'unawaited', bad: some(unawaited, w.bad.unawaited), good: w.good.unawaited },
    retries(report),
    { part: 'pages', bad: some(unfollowed_pages, w.bad.pages), good: w.good.pages },
    ...(most === undefined ? [] : [cost(report, most)]),
  ]
}

/** Tells whether what was used had stopped before the run began. */
export function isOver({ stops }: Pick<Report['deprecations'][number], 'stops'>, { started }: Report['run']): boolean {
  return stops !== null && stops <= started
}

function deprecated({ deprecations, run }: Report): Check {
  const over = deprecations.filter((one) => isOver(one, run)).length
  const [first] = deprecations.flatMap((one) => (one.stops === null || isOver(one, run) ? [] : one.stops)).sort()
  return {
    part: 'deprecations',
    bad: deprecations.length === 0 ? undefined : w.bad.deprecated(deprecations.length),
    aside: over > 0 ? w.bad.over(over) : first && w.bad.firstStops(date(first, { dateStyle: 'medium' })),
    good: w.good.deprecated,
  }
}

function retries({ retries: all }: Report): Check {
  const total = (some: Report['retries']) => some.reduce((sum, { count }) => sum + count, 0)
  const hasty = total(all.filter(({ back_off: hasBackOff }) => hasBackOff === false))
  const isKnown = all.every(({ back_off: hasBackOff }) => hasBackOff !== null)
  return {
    part: 'retries',
    bad: hasty === 0 ? undefined : w.bad.retries(hasty, number(total(all))),
    good: isKnown ? w.good.retries : undefined,
  }
}

function cost({ assertions, cost: { net, currency } }: Report, most: string): Check {
  const holds = assertions.every(({ assertion, holds }) => holds || !assertion.startsWith('cost>'))
  const amount = money(most, currency, 4)
  return {
    part: 'ledger',
    bad: holds ? undefined : w.bad.cost(money(net, currency, 4), amount),
    good: w.good.cost(amount),
  }
}
