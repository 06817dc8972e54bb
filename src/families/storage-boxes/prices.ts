/** The costs of Storage Boxes. */
import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { Costs, Rates } from '../../platform.ts'
import { boxesByPrice } from './host.ts'
import type { StorageBoxRow } from './tables.ts'

function priceAt(catalogue: Catalogue, type: number, location: number) {
  const place = catalogue.locationById(location)?.name
  return catalogue.storageBoxTypeById(type)?.prices.find((price) => price.location === place)
}

export const storageBoxCosts: Costs = async ({ db, catalogue }, ids) => {
  const rows = await boxesByPrice(db.query, ids)
  return rows.map(({ project_id: projectId, storage_box_type: type, location, count }) => {
    return { projectId, monthly: priceAt(catalogue, type, location)?.price_monthly, count: Number(count) }
  })
}

export const storageBoxRates: Rates<StorageBoxRow> = ({ catalogue }, { storage_box_type: type, location }) => {
  const price = priceAt(catalogue, type, location)
  return price ? [{ hourly: price.price_hourly.net, monthly: price.price_monthly.net }] : []
}
