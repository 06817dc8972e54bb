/** What snapshots cost; backups are part of the price of their server. */
import type { Glance } from '../../platform.ts'
import { snapshotSizes } from './host.ts'

const mbPerGb = 1_000

export const imageGlance: Glance = {
  async costs({ db, catalogue: { priceList } }, ids) {
    const rows = await snapshotSizes(db.query, ids)
    return rows.map(({ project_id: projectId, mb }) => {
      return { projectId, monthly: priceList.imagePerGbMonth, count: Number(mb) / mbPerGb }
    })
  },
}
