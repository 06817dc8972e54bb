/** The handler of measurements, the same for everything that is measured. */
import { inTime } from '../actions/in-time.ts'
import { momentsOf, stepOf } from '../contract/metrics.ts'
import { ApiError, invalidInput } from '../errors.ts'
import { timestamp } from '../process/clock.ts'

const callTimeoutMs = 5_000

/** A request for measurements; times in milliseconds since the epoch. */
interface Asked<Kind extends string> {
  readonly type: readonly Kind[]
  readonly start: number
  readonly end: number
  /** Seconds between two values. */
  readonly step: number | undefined
}

/** Values of a series by moment (seconds since the epoch); `step` seconds lie between two moments. */
type Measure<Series extends string> = (
  series: Series,
  moments: readonly number[],
  step: number,
) => Promise<ReadonlyMap<number, number>>

/**
 * Returns measurements as the API shows them. Errors: `invalid_input`; `unavailable` when the infrastructure does not
 * answer.
 */
export async function measurements<Kind extends string, Series extends string>(
  { type: kinds, start, end, step: asked }: Asked<Kind>,
  nowMs: number,
  seriesOf: Readonly<Record<Kind, readonly Series[]>>,
  measure: Measure<Series>,
) {
  if (end < start) throw invalidInput([{ field: 'end', message: 'must not be before start' }])
  const step = stepOf(start, end, asked)
  const moments = momentsOf(start, end, step, nowMs)
  const series: Record<string, { values: [number, string][] }> = {}
  for (const name of kinds.flatMap((kind) => seriesOf[kind])) {
    const measured = await inTime(measure(name, moments, step), callTimeoutMs).catch((cause: unknown) => {
      throw new ApiError('unavailable', 'the infrastructure does not answer', { cause })
    })
    series[name] = { values: [...measured!].map(([moment, value]) => [moment, String(value)]) }
  }
  return { metrics: { start: timestamp(start), end: timestamp(end), step, time_series: series } }
}
