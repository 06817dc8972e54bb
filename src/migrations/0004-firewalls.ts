/** Firewalls, their applications, the servers that selectors match, and the desired packet filter of each server. */
import type { Migration } from '../kernel/data/migrate.ts'

export const firewalls: Migration = {
  id: '0004-firewalls',
  statements: [
    `create table firewall (
      id integer primary key,
      project_id integer not null references project (id),
      name text not null,
      labels text not null,
      rules text not null,
      created text not null,
      version integer not null,
      unique (project_id, name)
    )`,
    `create index firewall_by_id on firewall (project_id, id)`,
    `create index firewall_by_created on firewall (project_id, created, id)`,
    `create table firewall_application (
      id integer primary key,
      project_id integer not null,
      firewall_id integer not null references firewall (id),
      server_id integer,
      selector text,
      selector_key text,
      unique (firewall_id, server_id),
      unique (firewall_id, selector_key)
    )`,
    `create index firewall_application_by_server on firewall_application (server_id) where server_id is not null`,
    `create index firewall_application_by_selector on firewall_application (project_id, id) where selector is not null`,
    `create table firewall_match (
      firewall_id integer not null references firewall (id),
      server_id integer not null,
      project_id integer not null,
      application_id integer not null,
      primary key (firewall_id, server_id)
    )`,
    `create index firewall_match_by_server on firewall_match (server_id)`,
    `create table firewall_filter (
      server_id integer primary key,
      project_id integer not null,
      generation integer not null,
      generation_in_force integer not null
    )`,
  ],
}
