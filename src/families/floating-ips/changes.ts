/** Dated changes of the API that are about Floating IPs. */
import { defineChanges } from '../../kernel/contract/changes.ts'

export const floatingIpChanges = defineChanges({
  floating_ip_delete_needs_unassign: {
    from: '2026-05-01',
    section: 'Floating IPs',
    summary: 'An assigned Floating IP can no longer be deleted: must_be_unassigned',
  },
})
