/** Dated changes of the API that are about server types. */
import { defineChanges } from '../../kernel/contract/changes.ts'

export const serverTypeChanges = defineChanges({
  server_type_traffic_added: {
    from: '2023-05-01',
    section: 'Versioning',
    summary: 'Server types have included_traffic',
  },
  server_type_deprecation_added: {
    from: '2023-06-01',
    section: 'Versioning',
    summary: 'Server types have deprecation, which replaces the boolean deprecated',
  },
  price_traffic_added: {
    from: '2024-07-01',
    section: 'Versioning',
    summary: 'Prices of types have included_traffic and price_per_tb_traffic',
  },
  server_type_traffic_null: {
    from: '2024-08-01',
    section: 'Versioning',
    summary: 'included_traffic of a server type is null',
  },
  server_type_traffic_removed: {
    from: '2024-11-01',
    section: 'Versioning',
    summary: 'Server types no longer have included_traffic',
  },
  server_type_category_added: {
    from: '2025-08-01',
    section: 'Versioning',
    summary: 'Server types have category',
  },
  server_type_locations_added: {
    from: '2025-09-01',
    section: 'Versioning',
    summary: 'Server types have locations',
  },
  server_type_availability_added: {
    from: '2026-04-01',
    section: 'Versioning',
    summary: 'Locations of server types have available and recommended',
  },
})
