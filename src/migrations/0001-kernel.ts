/** Tables of the kernel: Projects, ids, labels, actions, addresses and limits. */

import type { Migration } from '../kernel/data/migrate.ts'
import { firstId } from '../kernel/ids.ts'

export const kernel: Migration = {
  id: '0001-kernel',
  statements: [
    `create sequence id_sequence start ${firstId}`,
    `create table project (id integer primary key, name text not null, created text not null, unique (name))`,
    `create table token (
      id integer primary key,
      project_id integer not null references project (id),
      name text not null,
      hash text not null,
      tail text not null,
      read_only integer not null,
      created text not null,
      unique (hash)
    )`,
    `create table label (
      project_id integer not null,
      kind text not null,
      resource_id integer not null,
      key text not null,
      value text not null,
      primary key (project_id, kind, key, resource_id)
    )`,
    `create index label_by_value on label (project_id, kind, key, value, resource_id)`,
    `create table action (
      id integer primary key,
      project_id integer not null references project (id),
      definition text not null,
      command text not null,
      status text not null,
      progress integer not null,
      started text not null,
      finished text,
      error_code text,
      error_message text,
      input text not null,
      step integer not null,
      phase text not null,
      worker text,
      lease_until integer,
      fence integer not null,
      attempts integer not null,
      run_after integer not null
    )`,
    `create index action_running on action (id) where status = 'running'`,
    `create index action_by_project on action (project_id, id)`,
    `create table action_resource (
      action_id integer not null,
      position integer not null,
      project_id integer not null,
      type text not null,
      resource_id integer not null,
      primary key (action_id, position)
    )`,
    `create index action_resource_by_resource on action_resource (project_id, type, resource_id, action_id)`,
    `create table resource_lock (
      type text not null,
      resource_id integer not null,
      action_id integer not null,
      project_id integer not null,
      primary key (type, resource_id)
    )`,
    `create index resource_lock_by_action on resource_lock (action_id)`,
    `create table action_serial (serial_key text not null, action_id integer not null, primary key (serial_key, action_id))`,
    `create index action_serial_by_action on action_serial (action_id)`,
    `create table rate_limit (bucket text primary key, full_at integer not null)`,
    `create table address_pool (cidr text primary key, family integer not null, next integer not null, past_end integer not null)`,
    `create table address (
      ip text primary key,
      family integer not null,
      owner text,
      project_id integer,
      released_at integer not null
    )`,
    `create index address_free on address (family, released_at, ip) where owner is null`,
  ],
}
