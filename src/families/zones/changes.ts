/** Dated changes of the API that are about zones and RRSets. */
import { defineChanges } from '../../kernel/contract/changes.ts'

export const zoneChanges = defineChanges({
  rrset_comments: {
    from: '2025-11-01',
    section: 'Versioning',
    summary: 'Comments of records of an RRSet can be updated',
  },
  rrset_ttl_required: {
    from: '2026-09-30',
    section: 'Versioning',
    summary: 'change_ttl of an RRSet needs the key ttl; leaving it out no longer takes the TTL of the zone',
  },
})
