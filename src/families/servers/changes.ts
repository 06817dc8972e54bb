/** Dated changes of the API that are about servers. */
import { defineChanges } from '../../kernel/contract/changes.ts'

export const serverChanges = defineChanges({
  rescue_linux32_removed: {
    from: '2024-01-01',
    section: 'Servers',
    summary: 'enable_rescue no longer accepts linux32',
  },
  server_location_added: {
    from: '2025-12-01',
    section: 'Versioning',
    summary: 'Servers have location; datacenter is deprecated there',
  },
  rebuild_user_data: {
    from: '2026-01-01',
    section: 'Versioning',
    summary: 'rebuild accepts user_data',
  },
  server_datacenter_removed: {
    from: '2026-07-01',
    section: 'Versioning',
    summary: 'datacenter is gone from requests and responses of servers',
  },
})
