/** Counts the Load Balancers that somebody has to care about. */
import type { ProjectId } from '../../kernel/scope.ts'
import type { States } from '../../platform.ts'
import { balancersInUse } from './host.ts'
import { look } from './observe.ts'

/** So many are looked at together; when those do not answer, nothing waits for others. */
const lookedAtOnce = 100

export const loadBalancerStates: States = {
  /** Those with targets that are not healthy, or with nothing behind their targets. */
  async failed({ db }, projects, _until, drivers) {
    const failing = new Map<ProjectId, number>()
    const inUse = await balancersInUse(db.query, projects)
    for (let start = 0; start < inUse.length; start += lookedAtOnce) {
      const some = inUse.slice(start, start + lookedAtOnce)
      const ids = some.map(({ id }) => id)
      const seen = await look({ drivers }, ids)
      if (!seen) break
      for (const { id, projectId, isFilled } of some) {
        const isIll = seen.get(id)?.health.some(({ health }) => health.status === 'unhealthy') ?? false
        if (isIll || !isFilled) failing.set(projectId, (failing.get(projectId) ?? 0) + 1)
      }
    }
    return failing
  },
}
