/** Ended actions by resource in the sort orders of lists, and running actions by Project. */
import type { Migration } from '../kernel/data/migrate.ts'

export const actionHistory: Migration = {
  id: '0015-action-history',
  statements: [
    `create table action_history (
      project_id integer not null,
      type text not null,
      resource_id integer not null,
      status text not null,
      action_id integer not null,
      command text not null,
      started text not null,
      finished text not null,
      primary key (project_id, type, resource_id, status, action_id)
    )`,
    `insert into action_history
      select named.project_id, type, resource_id, status, action_id, command, started, finished
      from action_by_resource as named join action on action.id = action_id where status <> 'running'`,
    `insert into action_history
      select distinct named.project_id, type, 0, status, action_id, command, started, finished
      from action_by_resource as named join action on action.id = action_id where status <> 'running'`,
    `drop table action_by_resource`,
    `create index action_history_by_command on action_history (project_id, type, resource_id, status, command, action_id)`,
    `create index action_history_by_start on action_history (project_id, type, resource_id, status, started, action_id)`,
    `create index action_history_by_end on action_history (project_id, type, resource_id, status, finished, action_id)`,
    `create table action_unfiled (
      project_id integer not null,
      action_id integer not null,
      primary key (project_id, action_id)
    )`,
    `create index action_running_by_project on action (project_id, id) where status = 'running'`,
  ],
}
