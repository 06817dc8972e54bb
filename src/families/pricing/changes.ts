/** Dated changes of the API that are about the price list. */
import { defineChanges } from '../../kernel/contract/changes.ts'

export const pricingChanges = defineChanges({
  pricing_traffic_null: {
    from: '2024-08-01',
    section: 'Pricing',
    summary: 'traffic of the price list is null; floating_ip gives way to floating_ips',
  },
  pricing_traffic_removed: {
    from: '2024-11-01',
    section: 'Pricing',
    summary: 'The price list no longer has traffic',
  },
})
