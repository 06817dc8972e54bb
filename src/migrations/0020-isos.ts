/** Servers have an ISO in their drive, or none. */
import type { Migration } from '../kernel/data/migrate.ts'

export const isos: Migration = {
  id: '0020-isos',
  statements: [`alter table server add column iso integer`],
}
