/** Servers and their Primary IPs. */
import type { Migration } from '../kernel/data/migrate.ts'

export const servers: Migration = {
  id: '0003-servers',
  statements: [
    `create table server (
      id integer primary key,
      project_id integer not null references project (id),
      name text not null,
      status text not null,
      created text not null,
      server_type integer not null,
      location integer not null,
      image integer,
      cores integer not null,
      memory_mb integer not null,
      primary_disk_size integer not null,
      power text not null,
      power_in_force text not null,
      manner text not null,
      cycle integer,
      generation integer not null,
      user_data text,
      ssh_keys text not null,
      root_password_hash text,
      labels text not null,
      protect_delete integer not null,
      protect_rebuild integer not null,
      version integer not null,
      unique (project_id, name)
    )`,
    `create index server_by_id on server (project_id, id)`,
    `create index server_by_created on server (project_id, created, id)`,
    `create table primary_ip (
      id integer primary key,
      project_id integer not null references project (id),
      name text not null,
      type text not null,
      ip text not null,
      location integer not null,
      server_id integer,
      auto_delete integer not null,
      dns_ptr text not null,
      labels text not null,
      protect_delete integer not null,
      created text not null,
      version integer not null,
      unique (project_id, name),
      unique (ip)
    )`,
    `create index primary_ip_by_server on primary_ip (server_id)`,
  ],
}
