/** Dated changes of the API that are about the metadata service. */
import { defineChanges } from '../kernel/contract/changes.ts'

export const metadataChanges = defineChanges({
  ec2_metadata_removed: {
    from: '2026-08-01',
    section: 'Server metadata service',
    summary: 'The EC2-compatible routes of the metadata service no longer answer',
  },
})
