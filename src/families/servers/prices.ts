/** The costs of servers and their backups. */
import type { Catalogue } from '../../catalogue/catalogue.ts'
import { shareOf } from '../../catalogue/prices.ts'
import type { Cost, Costs, Rates } from '../../platform.ts'
import { serversByPrice } from './host.ts'
import type { ServerRow } from './tables.ts'

function priceAt(catalogue: Catalogue, type: number, location: number) {
  const place = catalogue.locationById(location)?.name
  return catalogue.serverTypeById(type)?.prices.find((price) => price.location === place)
}

export const serverCosts: Costs = async ({ db, catalogue }, ids) => {
  const { percentage } = catalogue.pricing.server_backup
  const rows = await serversByPrice(db.query, ids)
  return rows.flatMap(({ project_id: projectId, server_type, location, count, backups }): Cost[] => {
    const monthly = priceAt(catalogue, server_type, location)?.price_monthly
    const share = monthly && shareOf(monthly, percentage)
    return [
      { projectId, monthly, count: Number(count) },
      { projectId, monthly: share, count: Number(backups) },
    ]
  })
}

export const serverRates: Rates<ServerRow> = ({ catalogue }, { server_type, location, backup_window }) => {
  const price = priceAt(catalogue, server_type, location)
  if (!price) return []
  const { percentage } = catalogue.pricing.server_backup
  const own = { hourly: price.price_hourly.net, monthly: price.price_monthly.net }
  if (backup_window === null) return [own]
  const [hourly, monthly] = [price.price_hourly, price.price_monthly].map((one) => shareOf(one, percentage).net)
  return [own, { part: 'backups', hourly: hourly!, monthly: monthly! }]
}
