/** The desired state of servers, in the same form as that of packet filters and sets of Floating IPs. */
import type { Migration } from '../kernel/data/migrate.ts'

export const desiredStates: Migration = {
  id: '0017-desired-states',
  statements: [
    `alter table firewall_filter rename column server_id to id`,
    `alter table floating_ip_routing rename column server_id to id`,
    // The row outlives the server until the infrastructure has removed it.
    `create table server_state (
      id integer primary key,
      project_id integer not null,
      generation integer not null,
      generation_in_force integer not null
    )`,
    // Running actions confirm the state of the servers that they have locked.
    `insert into server_state (id, project_id, generation, generation_in_force)
      select id, project_id, generation, case when status in ('running', 'off') then generation else 0 end from server`,
    `create index server_state_pending on server_state (id) where generation_in_force < generation`,
    `alter table server drop column generation`,
  ],
}
