/** Dated changes of the API that are about datacenters. */
import { defineChanges } from '../../kernel/contract/changes.ts'

export const datacenterChanges = defineChanges({
  datacenters_deprecated: {
    from: '2026-06-01',
    section: 'Datacenters',
    summary: 'The datacenter endpoints are deprecated',
    standing: 'they answer until they are removed',
  },
  datacenters_removed: {
    from: '2026-10-01',
    section: 'Datacenters',
    summary: 'The datacenter endpoints are gone; server_types.locations has what they told',
  },
})
