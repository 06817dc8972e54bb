import type { Migration } from '../kernel/data/migrate.ts'

/** The running actions that wait for a time, by that time: a lab goes from one to the next. Few actions ever wait. */
export const pauses: Migration = {
  id: '0045-pauses',
  statements: [
    "create index action_pauses on action (run_after, id, project_id) where status = 'running' and run_after > 0",
  ],
}
