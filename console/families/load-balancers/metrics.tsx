/** Shows what was measured of a Load Balancer: a line for each series, with its latest and highest value in words. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useApi } from '../../api/api.ts'
import type { ReplyFor } from '../../api/operations.ts'
import { Card } from '../../ui/card.tsx'
import { Chart, type ChartLine } from '../../ui/chart.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { Halves } from '../../ui/page.tsx'
import { Seg } from '../../ui/seg.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { number } from '../../words/format.ts'
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
              <Chart
                title={w.metrics[kind]}
                lines={linesOf(kind, data.metrics.time_series)}
                empty={w.notMeasured}
                sentence={(name, latest, highest) => w.seriesText(nameOf(name), short(latest), short(highest))}
              />
            </Card>
          ))}
        </Halves>
      )}
    </>
  )
}

/** The lines of a kind. */
function linesOf(kind: (typeof kinds)[number], series: Series): readonly ChartLine[] {
  return Object.entries(series)
    .filter(([name]) => name === kind || name.startsWith(`${kind}.`))
    .map(([name, { values }]) => ({ name, points: values.map(([at, value]) => [at, Number(value)] as const) }))
}

function nameOf(series: string): string {
  const [, direction] = series.split('.')
  if (direction === 'in') return w.inbound
  return direction === 'out' ? w.outbound : ''
}

function short(value: number): string {
  return number(Math.round(value * 100) / 100)
}
