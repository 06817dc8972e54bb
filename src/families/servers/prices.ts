/** The costs of servers and their backups. */
import { shareOf } from '../../catalogue/prices.ts'
import type { Cost, Costs } from '../../platform.ts'
import { serversByPrice } from './host.ts'

export const serverCosts: Costs = async ({ db, catalogue }, ids) => {
  const { percentage } = catalogue.pricing.server_backup
  const rows = await serversByPrice(db.query, ids)
  return rows.flatMap(({ project_id: projectId, server_type, location, count, backups }): Cost[] => {
    const place = catalogue.locationById(location)?.name
    const monthly = catalogue
      .serverTypeById(server_type)
      ?.prices.find((price) => price.location === place)?.price_monthly
    const share = monthly && shareOf(monthly, percentage)
    return [
      { projectId, monthly, count: Number(count) },
      { projectId, monthly: share, count: Number(backups) },
    ]
  })
}
