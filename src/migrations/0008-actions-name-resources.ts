/**
 * An action carries the resources that it names; the table beside it only finds actions by resource. Filters that are not
 * in force are found without looking at the others.
 */
import type { Migration } from '../kernel/migrate.ts'

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
    `create index firewall_filter_pending on firewall_filter (server_id) where generation_in_force < generation`,
  ],
}
