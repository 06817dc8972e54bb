/** The gauges of Load Balancers: how many there are, and what their data plane sees of their targets. */
import { DriverError } from '../../kernel/actions/define.ts'
import { defineGauges } from '../../kernel/process/gauges.ts'
import type { FamilyWorld } from '../../platform.ts'
import type { Health } from './driver.ts'
import { someBalancers } from './host.ts'
import { look } from './observe.ts'

const lookedAtOnce = 100

export const loadBalancerGauges = defineGauges(
  'load balancers',
  {
    wolke_load_balancers: {
      help: 'Load Balancers: those that the data plane has, and those that it does not have (yet).',
      labels: ['state'],
    },
    wolke_load_balancer_targets: {
      help: 'Targets of Load Balancers, once for each service, by what health checks say.',
      labels: ['status'],
    },
  },
  async ({ platform: { db }, drivers }: FamilyWorld) => {
    const states = { carried: 0, missing: 0 }
    const statuses: Record<Health['status'], number> = { healthy: 0, unhealthy: 0, unknown: 0 }
    for (let after = 0; ; ) {
      const ids = (await someBalancers(db.query, after, lookedAtOnce)).map(({ id }) => id)
      const seen = await look({ drivers }, ids)
      if (!seen) throw new DriverError('the data plane does not answer', { transient: true })
      states.carried += seen.size
      states.missing += ids.length - seen.size
      for (const { health } of seen.values()) for (const one of health) statuses[one.health.status]++
      if (ids.length < lookedAtOnce) break
      after = ids.at(-1)!
    }
    return {
      wolke_load_balancers: Object.entries(states).map(([state, value]) => ({ labels: { state }, value })),
      wolke_load_balancer_targets: Object.entries(statuses).map(([status, value]) => ({ labels: { status }, value })),
    }
  },
)
