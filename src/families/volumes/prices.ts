/** The costs of volumes. */
import { hourOf } from '../../catalogue/prices.ts'
import type { Costs, Rates } from '../../platform.ts'
import { times } from '../../protocols/net/decimal.ts'
import { volumeSizes } from './host.ts'
import type { VolumeRow } from './tables.ts'

export const volumeCosts: Costs = async ({ db, catalogue: { pricing } }, ids) => {
  const rows = await volumeSizes(db.query, ids)
  return rows.map(({ project_id: projectId, size }) => {
    return { projectId, monthly: pricing.volume.price_per_gb_month, count: Number(size) }
  })
}

export const volumeRates: Rates<VolumeRow> = ({ catalogue: { pricing } }, { size }) => {
  const monthly = times(pricing.volume.price_per_gb_month.net, size)
  return [{ hourly: hourOf(monthly), monthly }]
}
