/** Which zones somebody has to care about. */
import type { Glance } from '../../platform.ts'
import { staleZones } from './host.ts'

export const zoneGlance: Glance = {
  async failed({ db }, ids) {
    const rows = await staleZones(db.query, ids)
    return new Map(rows.map(({ project_id, count }) => [project_id, Number(count)]))
  },
}
