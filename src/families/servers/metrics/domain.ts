/** What is measured of servers. Pure. */

/** The series of each kind of measurement. */
export const seriesOf = {
  cpu: ['cpu'],
  disk: ['disk.0.iops.read', 'disk.0.iops.write', 'disk.0.bandwidth.read', 'disk.0.bandwidth.write'],
  network: ['network.0.pps.in', 'network.0.pps.out', 'network.0.bandwidth.in', 'network.0.bandwidth.out'],
} as const

export const metricTypes = Object.keys(seriesOf) as (keyof typeof seriesOf)[]
