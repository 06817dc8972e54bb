/** Zones can be signed, with keys that roll. */
import type { Migration } from '../kernel/data/migrate.ts'

export const dnssec: Migration = {
  id: '0053-dnssec',
  beside: 'expands',
  statements: [
    `alter table zone add column is_signed integer not null default 0`,
    `create table zone_signing (
      zone_id integer primary key,
      project_id integer not null,
      step text not null,
      until integer not null,
      is_seen integer not null,
      wants_roll integer not null,
      renewed integer not null,
      due integer not null,
      parent_ds text,
      parent_checked text
    )`,
    `create index zone_signing_by_due on zone_signing (due)`,
    `create table zone_key (
      id integer primary key,
      project_id integer not null,
      zone_id integer not null,
      dnskey text not null,
      sealed text not null,
      created text not null
    )`,
    `create index zone_key_by_zone on zone_key (zone_id, id)`,
  ],
}
