/** Dated changes of the API that are about Primary IPs. */
import { defineChanges } from '../../kernel/contract/changes.ts'

export const primaryIpChanges = defineChanges({
  primary_ip_location_added: {
    from: '2025-12-01',
    section: 'Versioning',
    summary: 'Primary IPs have location; datacenter is deprecated there',
  },
  assignee_type_optional: {
    from: '2026-04-01',
    section: 'Versioning',
    summary: 'assignee_type is optional when a Primary IP is created',
  },
  primary_ip_delete_needs_unassign: {
    from: '2026-05-01',
    section: 'Errors',
    summary: 'An assigned Primary IP can no longer be deleted: must_be_unassigned',
  },
  primary_ip_datacenter_removed: {
    from: '2026-07-01',
    section: 'Versioning',
    summary: 'datacenter is gone from requests and responses of Primary IPs',
  },
  assignee_type_unassigned: {
    from: '2026-09-01',
    section: 'Versioning',
    summary: 'assignee_type of a Primary IP without assignee is unassigned',
  },
})
