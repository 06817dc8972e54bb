/** What Storage Boxes took over time, through the API. */
import type { Handlers } from '../../../kernel/contract/contract.ts'
import { measurements } from '../../../kernel/resource/measurements.ts'
import type { Platform } from '../../../platform.ts'
import { boxes } from '../store.ts'
import type { usageEndpoints } from './contract.ts'
import { seriesOf, usageKinds, valuesAt } from './domain.ts'
import { pointsOf } from './store.ts'

/** One handler for each endpoint. */
export function usageRoutes({ db, clock }: Platform): Handlers<typeof usageEndpoints> {
  return {
    async getUsage({ scope, params: { id }, query }) {
      await boxes.get(db.query, scope, id)
      const points = await pointsOf(db.query, scope, id)
      return measurements({ ...query, type: usageKinds }, clock.now(), seriesOf, async (series, moments) =>
        valuesAt(points, series, moments),
      )
    },
  }
}
