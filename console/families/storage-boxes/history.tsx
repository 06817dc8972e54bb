/** Shows what the files and the snapshots of a Storage Box took over time. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useApi } from '../../api/api.ts'
import type { ReplyFor } from '../../api/operations.ts'
import { Card } from '../../ui/card.tsx'
import { Chart, type ChartLine } from '../../ui/chart.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { Seg } from '../../ui/seg.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { sizeText } from './usage.ts'
import { boxes as w } from './words.ts'

const dayMs = 86_400_000
const ranges = { day: dayMs, week: 7 * dayMs, month: 30 * dayMs } as const
type Range = keyof typeof ranges

export function HistoryCard({ id }: { readonly id: number }) {
  const [range, setRange] = useState<Range>('month')
  const query = useMemo(() => {
    const end = Date.now()
    return { start: new Date(end - ranges[range]).toISOString(), end: new Date(end).toISOString() }
  }, [range])
  const { data, error } = useQuery({
    ...useApi().query('storage_boxes_getUsage', { params: { id }, query }),
    placeholderData: keepPreviousData,
  })
  return (
    <Card title={w.history} label={w.history} padded>
      <Seg
        label={w.range}
        value={range}
        options={(Object.keys(ranges) as Range[]).map((value) => ({ value, label: w.ranges[value] }))}
        onChange={setRange}
      />
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
