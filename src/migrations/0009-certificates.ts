/** Certificates, and the keys that encrypt secrets. */
import type { Migration } from '../kernel/data/migrate.ts'

/**
 * Keys of Projects are deleted with their Project. Private keys have a table of their own, because lists read the table
 * of certificates. Columns of a certificate are null until it is issued.
 */
export const certificates: Migration = {
  id: '0009-certificates',
  statements: [
    `create table key_canary (id integer primary key, kek_id text not null, sealed text not null)`,
    `create table project_key (
      id integer primary key,
      project_id integer not null references project (id) on delete cascade,
      kek_id text not null,
      wrapped text not null
    )`,
    `create index project_key_by_project on project_key (project_id, id)`,
    `create index project_key_by_kek on project_key (kek_id, id)`,
    `create table certificate (
      id integer primary key,
      project_id integer not null references project (id),
      name text not null,
      type text not null,
      certificate text,
      domain_names text not null,
      fingerprint text,
      not_valid_before text,
      not_valid_after text,
      labels text not null,
      created text not null,
      version integer not null,
      unique (project_id, name)
    )`,
    `create index certificate_by_id on certificate (project_id, id)`,
    `create index certificate_by_created on certificate (project_id, created, id)`,
    `create table certificate_key (
      certificate_id integer primary key references certificate (id),
      project_id integer not null,
      private_key text not null
    )`,
    `create table certificate_use (
      certificate_id integer not null references certificate (id),
      project_id integer not null,
      type text not null,
      resource_id integer not null,
      primary key (certificate_id, type, resource_id)
    )`,
    `create index certificate_use_by_resource on certificate_use (type, resource_id)`,
  ],
}
