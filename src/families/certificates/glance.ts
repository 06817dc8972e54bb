/** Which certificates somebody has to care about. */
import type { Glance } from '../../platform.ts'
import { endingCertificates } from './host.ts'

export const certificateGlance: Glance = {
  async ending({ db }, ids, until) {
    const rows = await endingCertificates(db.query, ids, until)
    return new Map(rows.map(({ project_id, count }) => [project_id, Number(count)]))
  },
}
