/** What Load Balancers cost, and which of them somebody has to care about. */
import type { ProjectId } from '../../kernel/scope.ts'
import type { Glance } from '../../platform.ts'
import { balancersByPrice, balancersInUse } from './host.ts'
import { look } from './observe.ts'

/** How many are looked at together; when those do not answer, nothing waits for others. */
const lookedAtOnce = 100

export const loadBalancerGlance: Glance = {
  async costs({ db, catalogue }, ids) {
    const rows = await balancersByPrice(db.query, ids)
    return rows.map(({ project_id: projectId, load_balancer_type: type, location, count }) => {
      const place = catalogue.locationById(location)?.name
      const prices = catalogue.loadBalancerTypeById(type)?.prices
      const monthly = prices?.find((price) => price.location === place)?.priceMonthly
      return { projectId, monthly, count: Number(count) }
    })
  },

  /** Those with targets that are not healthy, or with nothing behind their targets. */
  async failed({ db }, ids, _until, drivers) {
    const failing = new Map<ProjectId, number>()
    const inUse = await balancersInUse(db.query, ids)
    for (let start = 0; start < inUse.length; start += lookedAtOnce) {
      const some = inUse.slice(start, start + lookedAtOnce)
      const seen = await look(
        { drivers },
        some.map(({ id }) => id),
      )
      if (!seen) break
      for (const { id, projectId, isFilled } of some) {
        const isIll = seen.get(id)?.health.some(({ health }) => health.status === 'unhealthy') ?? false
        if (isIll || !isFilled) failing.set(projectId, (failing.get(projectId) ?? 0) + 1)
      }
    }
    return failing
  },
}
