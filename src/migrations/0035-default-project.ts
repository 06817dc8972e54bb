/** Marks the Project that starts of the server make and give a token, which may have another name than `default` by now. */
import type { Migration } from '../kernel/data/migrate.ts'

export const defaultProject: Migration = {
  id: '0035-default-project',
  statements: [
    'alter table project add column is_default integer not null default 0',
    `update project set is_default = 1 where id = coalesce(
      (select min(project_id) from token where given = 1),
      (select id from project where name = 'default')
    )`,
    'create unique index project_default on project (is_default) where is_default = 1',
  ],
}
