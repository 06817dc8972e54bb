/** The table of glossaries. */
import type { Migration } from '../kernel/data/migrate.ts'

export const glossaries: Migration = {
  id: '9999-glossaries',
  statements: [
    `create table glossary (
      id integer primary key,
      project_id integer not null references project (id),
      name text not null,
      status text not null,
      labels text not null,
      created text not null,
      version integer not null,
      unique (project_id, name)
    )`,
    `create index glossary_by_id on glossary (project_id, id)`,
    `create index glossary_by_created on glossary (project_id, created, id)`,
  ],
}
