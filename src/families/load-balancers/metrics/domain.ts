/** What is measured of Load Balancers. Pure. */
import type { BalancerSeries } from '../driver.ts'

/** The series of each kind of measurement. */
export const seriesOf = {
  open_connections: ['open_connections'],
  connections_per_second: ['connections_per_second'],
  requests_per_second: ['requests_per_second'],
  bandwidth: ['bandwidth.in', 'bandwidth.out'],
} as const satisfies Record<string, readonly BalancerSeries[]>

export const metricTypes = Object.keys(seriesOf) as (keyof typeof seriesOf)[]
