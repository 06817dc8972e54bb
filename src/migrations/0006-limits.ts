import type { Migration } from '../kernel/data/migrate.ts'

/** Limits of single Projects. */
export const limits: Migration = {
  id: '0006-limits',
  statements: [
    `create table project_limit (
      project_id integer not null references project (id) on delete cascade,
      kind text not null,
      most integer,
      primary key (project_id, kind)
    )`,
  ],
}
