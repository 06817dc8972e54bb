/** Dated changes of the API that are about Load Balancers. */
import { defineChanges } from '../../kernel/contract/changes.ts'

export const loadBalancerChanges = defineChanges({
  timeout_idle: {
    from: '2026-04-01',
    section: 'Limits',
    summary: 'HTTP services of Load Balancers have timeout_idle',
  },
  health_status_detail: {
    from: '2026-08-01',
    section: 'Load Balancer',
    summary: 'Target health of Load Balancers has detail and http_status_code',
  },
  load_balancer_public_net: {
    from: '2026-10-01',
    section: 'Load Balancers',
    summary: 'Load Balancers can be created with Primary IPs; deleting one returns an action',
  },
})
