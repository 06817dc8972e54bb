/** Shows what the files and the snapshots of a Storage Box took over time. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import type { ReplyFor } from '../../api/operations.ts'
import { useSpan } from '../../pages/shared/use-span.tsx'
import { Card } from '../../ui/card.tsx'
import { Chart, type ChartLine } from '../../ui/chart.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { sizeText } from './usage.ts'
import { boxes as w } from './words.ts'

export function HistoryCard({ id }: { readonly id: number }) {
  const { span, picker } = useSpan(['day', 'week', 'month'], 'month')
  const { data, error } = useQuery({
    ...useApi().query('storage_boxes_getUsage', { params: { id }, query: span }),
    placeholderData: keepPreviousData,
  })
  return (
    <Card title={w.history} label={w.history} padded>
      {picker}
      {error && !data && <FailureNote cause={error} />}
      {!data && !error && <Skeleton />}
      {data && (
        <Chart
          title={w.history}
          lines={linesOf(data.metrics.time_series)}
          empty={w.noHistory}
          sentence={(name, latest, highest) => w.historyText(name, sizeText(latest), sizeText(highest))}
        />
      )}
    </Card>
  )
}

function linesOf(series: ReplyFor<'storage_boxes_getUsage'>['metrics']['time_series']): readonly ChartLine[] {
  return (['size_data', 'size_snapshots'] as const).map((name) => ({
    name: name === 'size_data' ? w.files : w.snapshots,
    points: (series[name]?.values ?? []).map(([at, value]) => [at, Number(value)] as const),
  }))
}
