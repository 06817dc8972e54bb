/** The costs of snapshots; backups are part of the price of their server. */
import { shareOf } from '../../catalogue/prices.ts'
import type { Costs } from '../../platform.ts'
import { snapshotSizes } from './host.ts'

/** The share that a MB has in the price of a GB, in percent. */
const mbInGb = '0.1'

export const imageCosts: Costs = async ({ db, catalogue: { pricing } }, ids) => {
  const rows = await snapshotSizes(db.query, ids)
  const monthly = shareOf(pricing.image.price_per_gb_month, mbInGb)
  return rows.map(({ project_id: projectId, mb }) => ({ projectId, monthly, count: Number(mb) }))
}
