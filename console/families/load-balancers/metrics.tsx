/** Shows what was measured of a Load Balancer: a line for each series, with its latest and highest value in words. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import type { ReplyFor } from '../../api/operations.ts'
import { useSpan } from '../../pages/shared/use-span.tsx'
import { Card } from '../../ui/card.tsx'
import { Chart, type ChartLine } from '../../ui/chart.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { Halves } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { number } from '../../words/format.ts'
import { balancers as w } from './words.ts'

const kinds = ['open_connections', 'connections_per_second', 'requests_per_second', 'bandwidth'] as const
type Series = ReplyFor<'load_balancers_metrics'>['metrics']['time_series']

export function MetricsTab({ id }: { readonly id: number }) {
  const api = useApi()
  const { span, picker } = useSpan(['hour', 'day', 'week'], 'hour')
  const { data, error } = useQuery({
    ...api.query('load_balancers_metrics', { params: { id }, query: { type: kinds, ...span } }),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      {picker}
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
