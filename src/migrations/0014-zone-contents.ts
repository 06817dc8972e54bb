/** Contents of zones have ids of their own, so that an import can write a new content and then switch to it. */
import type { Migration } from '../kernel/data/migrate.ts'

/** The length of a row's records as text, and their number: within a value, every quote has a backslash before it. */
const jsonBytes = 'octet_length(records)'
const count = `((length(records) - length(replace(records, '{"value":', ''))) / 9)`

export const zoneContents: Migration = {
  id: '0014-zone-contents',
  statements: [
    // Contents without a zone are deleted later and must not keep the zone or its Project from being deleted.
    `create table zone_content (
      id integer primary key,
      project_id integer not null,
      zone_id integer not null,
      expires integer
    )`,
    `create index zone_content_by_zone on zone_content (zone_id)`,
    `create index zone_content_expiring on zone_content (expires) where expires is not null`,
    `insert into zone_content (id, project_id, zone_id) select id, project_id, id from zone`,
    `alter table zone add column content_id integer not null default 0`,
    `alter table zone add column text_bytes integer not null default 0`,
    // An upper bound, because JSON is longer than a line of a zone file; the next import makes it exact.
    `update zone set content_id = id, text_bytes = coalesce((
      select sum(${jsonBytes} + ${count} * (length(name) + length(type))) from rrset where zone_id = zone.id
    ), 0)`,
    `alter table rrset rename to rrset_before`,
    ...['by_id', 'by_name', 'by_created', 'protected', 'labelled'].map((name) => `drop index rrset_${name}`),
    `create table rrset (
      id integer primary key,
      project_id integer not null,
      content_id integer not null references zone_content (id),
      rr_key text not null,
      name text not null,
      type text not null,
      ttl integer,
      records text not null,
      labels text not null,
      protect_change integer not null,
      created text not null,
      unique (content_id, rr_key)
    )`,
    `insert into rrset
      select id, project_id, zone_id, rr_key, name, type, ttl, records, labels, protect_change, created
      from rrset_before`,
    `drop table rrset_before`,
    `create index rrset_by_id on rrset (content_id, id)`,
    `create index rrset_by_name on rrset (content_id, name, id)`,
    `create index rrset_by_created on rrset (content_id, created, id)`,
    `create index rrset_protected on rrset (content_id) where protect_change = 1`,
    `create index rrset_labelled on rrset (content_id) where labels <> '{}'`,
  ],
}
