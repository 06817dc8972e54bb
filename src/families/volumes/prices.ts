/** The costs of volumes. */
import type { Costs } from '../../platform.ts'
import { volumeSizes } from './host.ts'

export const volumeCosts: Costs = async ({ db, catalogue: { pricing } }, ids) => {
  const rows = await volumeSizes(db.query, ids)
  return rows.map(({ project_id: projectId, size }) => {
    return { projectId, monthly: pricing.volume.price_per_gb_month, count: Number(size) }
  })
}
