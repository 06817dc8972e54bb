/** Measurements of servers through the API. */
import type { Drivers } from '../../../kernel/actions/define.ts'
import type { Handlers } from '../../../kernel/contract/contract.ts'
import { measurements } from '../../../kernel/resource/measurements.ts'
import type { Platform } from '../../../platform.ts'
import { servers } from '../store.ts'
import type { metricEndpoints } from './contract.ts'
import { seriesOf } from './domain.ts'

/** One handler for each endpoint that is about measurements. */
export function metricRoutes({ db, clock }: Platform, drivers: Drivers): Handlers<typeof metricEndpoints> {
  return {
    async metrics({ scope, params: { id }, query }) {
      const server = await servers.get(db.query, scope, id)
      return measurements(query, clock.now(), seriesOf, (series, moments) =>
        drivers.servers.measure({ ...server, location: server.locationId }, series, moments),
      )
    },
  }
}
