/** Snapshots and backups, backup windows of servers, and the image that a failed rebuild returns to. */
import type { Migration } from '../kernel/data/migrate.ts'

export const images: Migration = {
  id: '0007-images',
  statements: [
    `create table image (
      id integer primary key,
      project_id integer not null references project (id),
      type text not null,
      status text not null,
      description text not null,
      image_size_mb integer,
      disk_size integer not null,
      created text not null,
      created_from_id integer not null,
      created_from_name text not null,
      bound_to integer,
      os_flavor text not null,
      os_version text,
      architecture text not null,
      protect_delete integer not null,
      labels text not null,
      version integer not null
    )`,
    `create index image_by_id on image (project_id, id)`,
    `create index image_by_created on image (project_id, created, id)`,
    `create index image_by_server on image (bound_to, id) where bound_to is not null`,
    `create index image_deleted on image (id) where status = 'deleted'`,
    `alter table server add column backup_window text`,
    `alter table server add column last_backup_day text not null default ''`,
    `alter table server add column installation integer`,
    `create index server_by_backup on server (backup_window, last_backup_day, id) where backup_window is not null`,
    `create index server_by_image on server (image)`,
    `create table server_former (
      server_id integer primary key,
      project_id integer not null,
      image integer,
      installation integer,
      user_data text,
      root_password_hash text
    )`,
  ],
}
