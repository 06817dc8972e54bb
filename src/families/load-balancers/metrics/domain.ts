/** What is measured of Load Balancers. Pure. */

/** The series of each kind of measurement. */
export const seriesOf = {
  open_connections: ['open_connections'],
  connections_per_second: ['connections_per_second'],
  requests_per_second: ['requests_per_second'],
  bandwidth: ['bandwidth.in', 'bandwidth.out'],
} as const

export const metricTypes = Object.keys(seriesOf) as (keyof typeof seriesOf)[]
