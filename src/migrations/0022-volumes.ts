/** Tables of volumes. */
import type { Migration } from '../kernel/data/migrate.ts'

/** Volumes, the desired state of each, and the desired set of them for each server. */
export const volumes: Migration = {
  id: '0022-volumes',
  statements: [
    `create table volume (
      id integer primary key,
      project_id integer not null references project (id),
      name text not null,
      status text not null,
      size integer not null,
      location integer not null,
      server_id integer,
      automount integer not null,
      format text,
      labels text not null,
      protect_delete integer not null,
      created text not null,
      version integer not null,
      unique (project_id, name)
    )`,
    `create index volume_by_id on volume (project_id, id)`,
    `create index volume_by_created on volume (project_id, created, id)`,
    `create index volume_by_server on volume (server_id) where server_id is not null`,
    `create table volume_state (
      id integer primary key,
      project_id integer not null,
      generation integer not null,
      generation_in_force integer not null
    )`,
    `create index volume_state_pending on volume_state (id) where generation_in_force < generation`,
    `create table volume_attachment (
      id integer primary key,
      project_id integer not null,
      generation integer not null,
      generation_in_force integer not null
    )`,
    `create index volume_attachment_pending on volume_attachment (id) where generation_in_force < generation`,
  ],
}
