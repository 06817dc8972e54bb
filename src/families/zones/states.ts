/** Counts the zones that somebody has to care about. */
import type { States } from '../../platform.ts'
import { staleZones } from './host.ts'

export const zoneStates: States = {
  async failed({ db }, ids) {
    const rows = await staleZones(db.query, ids)
    return new Map(rows.map(({ project_id, count }) => [project_id, Number(count)]))
  },
}
