/** Dated changes of the API that are about ISOs. */
import { defineChanges } from '../../kernel/contract/changes.ts'

export const isoChanges = defineChanges({
  iso_deprecation_added: {
    from: '2023-10-01',
    section: 'Versioning',
    summary: 'ISOs have deprecation',
  },
  iso_deprecated_removed: {
    from: '2024-01-01',
    section: 'Versioning',
    summary: 'ISOs no longer have deprecated',
  },
})
