/** Dated changes of the API that are about Storage Boxes. */
import { defineChanges } from '../../kernel/contract/changes.ts'

export const storageBoxChanges = defineChanges({
  storage_box_root: {
    from: '2025-06-01',
    section: 'Versioning',
    summary: 'Storage boxes moved to an API root of their own',
    standing: 'they are below both roots at every date',
  },
  storage_box_passwords: {
    from: '2025-09-17',
    section: 'Limits',
    summary: 'Storage box passwords have at least 12 characters and a special one',
  },
  storage_box_changes: {
    from: '2025-10-01',
    section: 'Versioning',
    summary: 'Storage boxes: sorting, filters, optional fields, rollback takes snapshot',
    standing: 'requests have the later form at every date',
  },
  subaccount_name: {
    from: '2026-01-01',
    section: 'Versioning',
    summary: 'Subaccounts of storage boxes have a unique name',
  },
})
