/** Entries of the audit log that no statement deletes before their time. */
import type { Migration } from '../kernel/data/migrate.ts'

export const keptAudit: Migration = {
  id: '0036-kept-audit',
  // The shortest retention is a day. It is reckoned from the newest entry, so it needs no clock.
  statements: ['create retention audit_is_kept on audit'],
}
