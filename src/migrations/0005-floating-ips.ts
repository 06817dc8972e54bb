/** Tables of Floating IPs. */
import type { Migration } from '../kernel/data/migrate.ts'

/** Floating IPs, and the desired set of them for each server. */
export const floatingIps: Migration = {
  id: '0005-floating-ips',
  statements: [
    `create table floating_ip (
      id integer primary key,
      project_id integer not null references project (id),
      name text not null,
      description text,
      type text not null,
      ip text not null,
      home_location integer not null,
      server_id integer,
      dns_ptr text not null,
      labels text not null,
      protect_delete integer not null,
      created text not null,
      version integer not null,
      unique (project_id, name),
      unique (ip)
    )`,
    `create index floating_ip_by_id on floating_ip (project_id, id)`,
    `create index floating_ip_by_created on floating_ip (project_id, created, id)`,
    `create index floating_ip_by_server on floating_ip (server_id) where server_id is not null`,
    `create table floating_ip_routing (
      server_id integer primary key,
      project_id integer not null,
      generation integer not null
    )`,
  ],
}
