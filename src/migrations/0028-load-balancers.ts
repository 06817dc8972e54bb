/** Tables of Load Balancers. */
import type { Migration } from '../kernel/data/migrate.ts'

/** Load Balancers, their targets, the servers that selectors match, their places in networks, and what is desired. */
export const loadBalancers: Migration = {
  id: '0028-load-balancers',
  statements: [
    `create table load_balancer (
      id integer primary key,
      project_id integer not null references project (id),
      name text not null,
      load_balancer_type integer not null,
      max_connections integer not null,
      location integer not null,
      algorithm text not null,
      services text not null,
      public_enabled integer not null,
      former text,
      ipv4 text not null,
      ipv6 text not null,
      ipv4_primary integer,
      ipv6_primary integer,
      dns_ptr text not null,
      cookie_secret text not null,
      labels text not null,
      protect_delete integer not null,
      created text not null,
      version integer not null,
      unique (project_id, name)
    )`,
    `create index load_balancer_by_id on load_balancer (project_id, id)`,
    `create index load_balancer_by_created on load_balancer (project_id, created, id)`,
    `create index load_balancer_by_ipv4 on load_balancer (ipv4)`,
    `create index load_balancer_by_ipv6 on load_balancer (ipv6)`,
    `create table load_balancer_target (
      id integer primary key,
      project_id integer not null,
      load_balancer_id integer not null,
      server_id integer,
      selector text,
      selector_key text,
      leading_term text not null,
      ip text,
      use_private_ip integer not null,
      status text not null,
      unique (load_balancer_id, server_id),
      unique (load_balancer_id, selector_key),
      unique (load_balancer_id, ip)
    )`,
    `create index load_balancer_target_by_server on load_balancer_target (server_id) where server_id is not null`,
    `create index load_balancer_target_by_term on load_balancer_target (project_id, leading_term, id)
      where selector is not null`,
    `create table load_balancer_match (
      target_id integer not null,
      server_id integer not null,
      project_id integer not null,
      load_balancer_id integer not null,
      primary key (target_id, server_id)
    )`,
    `create index load_balancer_match_by_server on load_balancer_match (server_id)`,
    `create index load_balancer_match_by_balancer on load_balancer_match (load_balancer_id)`,
    `create table load_balancer_place (
      id integer primary key,
      project_id integer not null,
      network_id integer not null,
      ip text not null,
      status text not null,
      unique (network_id, ip)
    )`,
    `create table load_balancer_state (
      id integer primary key,
      project_id integer not null,
      generation integer not null,
      generation_in_force integer not null
    )`,
    `create index load_balancer_state_pending on load_balancer_state (id) where generation_in_force < generation`,
    `alter table primary_ip add column load_balancer_id integer`,
    `create index primary_ip_by_load_balancer on primary_ip (load_balancer_id) where load_balancer_id is not null`,
  ],
}
