/** Tables of private networks. */
import type { Migration } from '../kernel/data/migrate.ts'

/** Networks with their subnets and routes, what is desired of them, and who has which vSwitch. */
export const networks: Migration = {
  id: '0021-networks',
  statements: [
    `create table network (
      id integer primary key,
      project_id integer not null references project (id),
      name text not null,
      ip_range text not null,
      subnets text not null,
      routes text not null,
      former text,
      expose_routes_to_vswitch integer not null,
      labels text not null,
      protect_delete integer not null,
      created text not null,
      version integer not null,
      unique (project_id, name)
    )`,
    `create index network_by_id on network (project_id, id)`,
    `create index network_by_created on network (project_id, created, id)`,
    // The row outlives the network until the infrastructure has removed it.
    `create table network_state (
      id integer primary key,
      project_id integer not null,
      generation integer not null,
      generation_in_force integer not null
    )`,
    `create index network_state_pending on network_state (id) where generation_in_force < generation`,
    // A vSwitch is coupled with one network of the whole installation.
    `create table network_vswitch (
      id integer primary key,
      project_id integer not null,
      network_id integer not null
    )`,
    `create index network_vswitch_by_network on network_vswitch (network_id)`,
  ],
}
