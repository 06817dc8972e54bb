/** What volumes cost. */
import type { Glance } from '../../platform.ts'
import { volumeSizes } from './host.ts'

export const volumeGlance: Glance = {
  async costs({ db, catalogue: { priceList } }, ids) {
    const rows = await volumeSizes(db.query, ids)
    return rows.map(({ project_id: projectId, size }) => {
      return { projectId, monthly: priceList.volumePerGbMonth, count: Number(size) }
    })
  },
}
