/** Entries of the audit log name the actions that their request started; the few actions that failed are found by time. */
import type { Migration } from '../kernel/data/migrate.ts'

export const startedActions: Migration = {
  id: '0043-started-actions',
  statements: [
    `alter table audit add column actions text not null default '[]'`,
    `create index action_failed on action (project_id, started) where status = 'error'`,
  ],
}
