/** What is measured of servers, and at which moments. Pure. */

/** The series of each kind of measurement. */
export const seriesOf = {
  cpu: ['cpu'],
  disk: ['disk.0.iops.read', 'disk.0.iops.write', 'disk.0.bandwidth.read', 'disk.0.bandwidth.write'],
  network: ['network.0.pps.in', 'network.0.pps.out', 'network.0.bandwidth.in', 'network.0.bandwidth.out'],
} as const

export type MetricType = keyof typeof seriesOf
export type SeriesName = (typeof seriesOf)[MetricType][number]

export const metricTypes = Object.keys(seriesOf) as MetricType[]

/** How many values a series has at most when the caller names no step, and when he does. */
const usualSamples = 200
const mostSamples = 500

export const historyMs = 30 * 86_400_000

/** Whole seconds between two values: what is asked for, but never so few that a series becomes too long. */
export function stepOf(startMs: number, endMs: number, asked: number | undefined): number {
  const shortest = (samples: number) => Math.max(1, Math.ceil((endMs - startMs) / 1_000 / samples))
  return asked === undefined ? shortest(usualSamples) : Math.max(asked, shortest(mostSamples))
}

/** The moments of the values of a series, in seconds since the epoch: those since the oldest kept one, until now. */
export function momentsOf(startMs: number, endMs: number, step: number, now: number): number[] {
  const first = Math.ceil(Math.max(startMs, now - historyMs) / 1_000 / step) * step
  const end = Math.min(endMs, now) / 1_000
  return Array.from({ length: Math.max(0, Math.ceil((end - first) / step)) }, (_, index) => first + index * step)
}
