/** The entries of backups in the audit log. */
import type { Migration } from '../kernel/data/migrate.ts'

/** A doctor asks for the latest backup, however long the audit log is. */
export const backupsMade: Migration = {
  id: '0048-backups-made',
  statements: [`create index audit_of_backups on audit (operation, id) where operation = 'wolke backup'`],
}
