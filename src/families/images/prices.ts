/** The costs of snapshots; backups are part of the price of their server. */
import { hourOf, shareOf } from '../../catalogue/prices.ts'
import type { Costs, Rates } from '../../platform.ts'
import { times } from '../../protocols/net/decimal.ts'
import { snapshotSizes } from './host.ts'
import type { ImageRow } from './tables.ts'

/** The share that a MB has in the price of a GB, in percent. */
const mbInGb = '0.1'

export const imageCosts: Costs = async ({ db, catalogue: { pricing } }, ids) => {
  const rows = await snapshotSizes(db.query, ids)
  const monthly = shareOf(pricing.image.price_per_gb_month, mbInGb)
  return rows.map(({ project_id: projectId, mb }) => ({ projectId, monthly, count: Number(mb) }))
}

export const imageRates: Rates<ImageRow> = ({ catalogue: { pricing } }, { type, image_size_mb: mb }) => {
  if (type !== 'snapshot') return []
  const monthly = times(shareOf(pricing.image.price_per_gb_month, mbInGb).net, mb ?? 0)
  return [{ hourly: hourOf(monthly), monthly }]
}
