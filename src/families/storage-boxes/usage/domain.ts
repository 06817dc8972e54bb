/** What a Storage Box took over time. Pure. */

/** The series, each of a kind of its own. */
export const seriesOf = { size_data: ['size_data'], size_snapshots: ['size_snapshots'] } as const
export type UsageSeries = keyof typeof seriesOf
export const usageKinds = Object.keys(seriesOf) as UsageSeries[]

/** The bytes of each series since a moment, in seconds since the epoch. */
export interface UsagePoint extends Readonly<Record<UsageSeries, number>> {
  readonly since: number
}

/** The values of a series at some moments; there are none before the first point. Both are in order. */
export function valuesAt(points: readonly UsagePoint[], series: UsageSeries, moments: readonly number[]) {
  const values = new Map<number, number>()
  let next = 0
  for (const moment of moments) {
    while (next < points.length && points[next]!.since <= moment) next++
    const point = points[next - 1]
    if (point) values.set(moment, point[series])
  }
  return values
}
