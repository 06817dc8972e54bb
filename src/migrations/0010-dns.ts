/** Zones, their RRSets, and the announcements by which name servers learn of changes. */
import type { Migration } from '../kernel/data/migrate.ts'

export const dns: Migration = {
  id: '0010-dns',
  statements: [
    `create table zone (
      id integer primary key,
      project_id integer not null references project (id),
      name text not null,
      mode text not null,
      ttl integer not null,
      serial integer not null,
      version integer not null,
      whole_version integer not null,
      record_count integer not null,
      labels text not null,
      protect_delete integer not null,
      created text not null,
      unique (name)
    )`,
    `create index zone_by_id on zone (project_id, id)`,
    `create index zone_by_name on zone (project_id, name, id)`,
    `create index zone_by_created on zone (project_id, created, id)`,
    `create table rrset (
      id integer primary key,
      project_id integer not null,
      zone_id integer not null references zone (id),
      rr_key text not null,
      name text not null,
      type text not null,
      ttl integer,
      records text not null,
      labels text not null,
      protect_change integer not null,
      created text not null,
      unique (zone_id, rr_key)
    )`,
    `create index rrset_by_id on rrset (zone_id, id)`,
    `create index rrset_by_name on rrset (zone_id, name, id)`,
    `create index rrset_by_created on rrset (zone_id, created, id)`,
    `create index rrset_protected on rrset (zone_id) where protect_change = 1`,
    `create index rrset_labelled on rrset (zone_id) where labels <> '{}'`,
    `create table zone_challenge (
      id integer primary key,
      project_id integer not null,
      zone_id integer not null references zone (id),
      name text not null,
      value text not null
    )`,
    `create index zone_challenge_by_zone on zone_challenge (zone_id, name)`,
    `create table zone_change (
      project_id integer not null,
      zone_id integer not null references zone (id),
      version integer not null,
      rr_key text not null,
      primary key (zone_id, version, rr_key)
    )`,
    `create table zone_source (
      zone_id integer primary key references zone (id),
      project_id integer not null,
      nameservers text not null,
      tsig_keys text,
      next_check integer not null,
      refreshed integer,
      is_stale integer not null
    )`,
    `create index zone_source_by_check on zone_source (next_check)`,
    `create table dns_change (
      subject text primary key,
      touched integer not null
    )`,
    `create index dns_change_by_time on dns_change (touched)`,
  ],
}
