/** Dated changes of the API that are about locations. */
import { defineChanges } from '../../kernel/contract/changes.ts'

export const locationChanges = defineChanges({
  location_sin_added: {
    from: '2024-08-01',
    section: 'Versioning',
    summary: 'A location and a network zone in Singapore',
  },
})
