/** Shows what was measured of a Load Balancer: a line for each series, with its latest and highest value in words. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useApi } from '../../api/api.ts'
import type { ReplyFor } from '../../api/operations.ts'
import { Card } from '../../ui/card.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { Halves } from '../../ui/page.tsx'
import { Seg } from '../../ui/seg.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { number, timeOfDay } from '../../words/format.ts'
import styles from './balancers.module.css'
import { balancers as w } from './words.ts'

const kinds = ['open_connections', 'connections_per_second', 'requests_per_second', 'bandwidth'] as const
const ranges = { hour: 3_600_000, day: 86_400_000, week: 7 * 86_400_000 } as const
type Range = keyof typeof ranges
type Series = ReplyFor<'load_balancers_metrics'>['metrics']['time_series']

export function MetricsTab({ id }: { readonly id: number }) {
  const api = useApi()
  const [range, setRange] = useState<Range>('hour')
  const query = useMemo(() => {
    const end = Date.now()
    return {
      type: kinds,
      start: new Date(end - ranges[range]).toISOString(),
      end: new Date(end).toISOString(),
    }
  }, [range])
  const { data, error } = useQuery({
    ...api.query('load_balancers_metrics', { params: { id }, query }),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <Seg
        label={w.range}
        value={range}
        options={(Object.keys(ranges) as Range[]).map((value) => ({ value, label: w.ranges[value] }))}
        onChange={setRange}
      />
      {error && !data && <FailureNote cause={error} />}
      {!data && !error && <Skeleton />}
      {data && (
        <Halves>
          {kinds.map((kind) => (
            <Card key={kind} title={w.metrics[kind]} padded>
              <Chart title={w.metrics[kind]} kind={kind} series={data.metrics.time_series} />
            </Card>
          ))}
        </Halves>
      )}
    </>
  )
}

interface ChartProps {
  readonly title: string
  readonly kind: (typeof kinds)[number]
  readonly series: Series
}

function Chart({ title, kind, series }: ChartProps) {
  const lines = Object.entries(series)
    .filter(([name]) => name === kind || name.startsWith(`${kind}.`))
    .map(([name, { values }]) => ({ name, points: values.map(([at, value]) => [at, Number(value)] as const) }))
  const all = lines.flatMap(({ points }) => points)
  if (all.length === 0) return <p className="dim">{w.notMeasured}</p>
  const times = all.map(([at]) => at)
  const [start, end] = [Math.min(...times), Math.max(...times)]
  const most = Math.max(...all.map(([, value]) => value), 1)
  const path = (points: readonly (readonly [number, number])[]) =>
    points
      .map(([at, value], index) => {
        const x = end === start ? 0 : ((at - start) / (end - start)) * 100
        return `${index === 0 ? 'M' : 'L'}${x.toFixed(2)} ${(98 - (value / most) * 94).toFixed(2)}`
      })
      .join('')
  const summary = lines.map(({ name, points }) => {
    const values = points.map(([, value]) => value)
    return w.seriesText(nameOf(name), short(values.at(-1) ?? 0), short(Math.max(...values)))
  })
  return (
    <>
      <svg
        className={styles.chart}
        viewBox="0 0 100 100"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}. ${summary.join(' ')}`}
      >
        <path className={styles.ground} d="M0 98H100" />
        {lines.map(({ name, points }, index) => (
          <path key={name} className={`${styles.line} ${index > 0 ? styles.second : ''}`} d={path(points)} />
        ))}
      </svg>
      <p className="row faint">
        <span>{timeOfDay(start * 1000)}</span>
        <span className="end">{timeOfDay(end * 1000)}</span>
      </p>
      {summary.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </>
  )
}

function nameOf(series: string): string {
  const [, direction] = series.split('.')
  if (direction === 'in') return w.inbound
  return direction === 'out' ? w.outbound : ''
}

function short(value: number): string {
  return number(Math.round(value * 100) / 100)
}
