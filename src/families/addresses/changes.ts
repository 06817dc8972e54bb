/** Dated changes of the API that are about public addresses. */
import { defineChanges } from '../../kernel/contract/changes.ts'

export const addressChanges = defineChanges({
  no_address_is_412: {
    from: '2025-07-01',
    section: 'Floating IPs',
    summary: 'No address left is status 412 instead of 503',
  },
  dns_ptr_trailing_dot: {
    from: '2025-10-01',
    section: 'Floating IPs',
    summary: 'A trailing dot in dns_ptr is refused',
  },
  dns_ptr_required: {
    from: '2026-09-30',
    section: 'Floating IPs',
    summary: 'change_dns_ptr needs the key dns_ptr; leaving it out no longer resets the name',
  },
})
