/** Actions belong to the trace of the request that started them, whoever runs them. */
import type { Migration } from '../kernel/data/migrate.ts'

export const tracedActions: Migration = {
  id: '0050-traced-actions',
  statements: ['alter table action add column traceparent text'],
}
