/**
 * An action row carries its resources; `action_by_resource` only finds actions by resource. An ended action never
 * changes. Partial indexes find the packet filters and sets of Floating IPs that are not in force.
 */
import type { Migration } from '../kernel/data/migrate.ts'

export const actionsNameResources: Migration = {
  id: '0008-actions-name-resources',
  statements: [
    `alter table action add column resources text not null default '[]'`,
    `update action set resources = coalesce((
      select '[' || string_agg('{"type":"' || type || '","id":' || resource_id || '}', ',' order by position) || ']'
      from action_resource where action_id = action.id
    ), '[]')`,
    `create table action_by_resource (
      project_id integer not null,
      type text not null,
      resource_id integer not null,
      action_id integer not null,
      primary key (project_id, type, resource_id, action_id)
    )`,
    `insert into action_by_resource select distinct project_id, type, resource_id, action_id from action_resource`,
    `drop table action_resource`,
    `create guard action_has_ended on action when old.status <> 'running'`,
    `alter table floating_ip_routing add column generation_in_force integer not null default 0`,
    `create index floating_ip_routing_pending on floating_ip_routing (server_id) where generation_in_force < generation`,
    `create index firewall_filter_pending on firewall_filter (server_id) where generation_in_force < generation`,
  ],
}
