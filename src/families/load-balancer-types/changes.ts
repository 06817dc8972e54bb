/** Dated changes of the API that are about types of Load Balancers. */
import { defineChanges } from '../../kernel/contract/changes.ts'

export const loadBalancerTypeChanges = defineChanges({
  load_balancer_type_deprecation: {
    from: '2026-06-01',
    section: 'Versioning',
    summary: 'Load balancer types have deprecation',
  },
})
