/** The rescue system, reset passwords and changed types of servers; what a server goes back to has all that changes. */
import type { Migration } from '../kernel/data/migrate.ts'

export const serverChanges: Migration = {
  id: '0024-server-changes',
  statements: [
    `alter table server add column password_reset integer`,
    `alter table server add column rescue_until text`,
    `alter table server add column rescue_keys text`,
    `alter table server add column rescue_password_hash text`,
    `create index server_by_rescue on server (rescue_until, id) where rescue_until is not null`,
    `alter table server_former add column password_reset integer`,
    `alter table server_former add column rescue_until text`,
    `alter table server_former add column rescue_keys text`,
    `alter table server_former add column rescue_password_hash text`,
    `alter table server_former add column server_type integer not null default 0`,
    `alter table server_former add column cores integer not null default 0`,
    `alter table server_former add column memory_mb integer not null default 0`,
    `alter table server_former add column primary_disk_size integer not null default 0`,
    `update server_former set
      server_type = (select server_type from server where server.id = server_id),
      cores = (select cores from server where server.id = server_id),
      memory_mb = (select memory_mb from server where server.id = server_id),
      primary_disk_size = (select primary_disk_size from server where server.id = server_id)`,
  ],
}
