/** Tables of placement groups. */
import type { Migration } from '../kernel/data/migrate.ts'

/** Placement groups, and the servers that are in one. */
export const placementGroups: Migration = {
  id: '0019-placement-groups',
  statements: [
    `create table placement_group (
      id integer primary key,
      project_id integer not null references project (id),
      name text not null,
      type text not null,
      labels text not null,
      created text not null,
      version integer not null,
      unique (project_id, name)
    )`,
    `create index placement_group_by_id on placement_group (project_id, id)`,
    `create index placement_group_by_created on placement_group (project_id, created, id)`,
    `create table placement_group_member (
      server_id integer primary key,
      project_id integer not null,
      placement_group_id integer not null
    )`,
    `create index placement_group_member_by_group on placement_group_member (placement_group_id)`,
  ],
}
