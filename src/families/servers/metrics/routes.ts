/** Measurements of servers through the API. */
import type { Drivers } from '../../../kernel/actions/define.ts'
import { inTime } from '../../../kernel/actions/in-time.ts'
import type { Handlers } from '../../../kernel/contract/contract.ts'
import { ApiError, invalidInput } from '../../../kernel/errors.ts'
import { timestamp } from '../../../kernel/process/clock.ts'
import type { Platform } from '../../../platform.ts'
import type { Server } from '../domain.ts'
import { servers } from '../store.ts'
import type { metricEndpoints } from './contract.ts'
import { momentsOf, type SeriesName, seriesOf, stepOf } from './domain.ts'

const callTimeoutMs = 5_000

/** One handler for each endpoint that is about measurements. */
export function metricRoutes({ db, clock }: Platform, drivers: Drivers): Handlers<typeof metricEndpoints> {
  /** What was measured of a series. Errors: `unavailable` when the infrastructure does not answer. */
  async function valuesOf(server: Server, name: SeriesName, moments: readonly number[]): Promise<[number, string][]> {
    const measured = await inTime(drivers.servers.measure(server, name, moments), callTimeoutMs).catch(
      (cause: unknown) => {
        throw new ApiError('unavailable', 'the infrastructure does not answer', { cause })
      },
    )
    return [...measured!].map(([moment, value]) => [moment, String(value)])
  }

  return {
    async metrics({ scope, params: { id }, query: { type: types, start, end, step: asked } }) {
      const server = await servers.get(db.query, scope, id)
      if (end <= start) throw invalidInput([{ field: 'end', message: 'must be after start' }])
      const step = stepOf(start, end, asked)
      const moments = momentsOf(start, end, step, clock.now())
      const series: Record<string, { values: [number, string][] }> = {}
      for (const type of types) {
        for (const name of seriesOf[type]) series[name] = { values: await valuesOf(server, name, moments) }
      }
      return { metrics: { start: timestamp(start), end: timestamp(end), step, time_series: series } }
    },
  }
}
