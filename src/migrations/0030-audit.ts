/** The audit log. */
import type { Migration } from '../kernel/data/migrate.ts'

/** The log of changes and refused changes, which is only ever appended to. */
export const audit: Migration = {
  id: '0030-audit',
  statements: [
    `create table audit (
      id integer primary key generated,
      time text not null,
      actor text not null,
      actor_id integer,
      actor_name text not null,
      project_id integer,
      project_name text,
      operation text not null,
      family text not null,
      resources text not null,
      outcome text not null,
      status integer not null,
      correlation_id text not null,
      network text not null
    )`,
    `create index audit_by_project on audit (project_id, id)`,
    `create guard audit_is_append_only on audit when true`,
  ],
}
