/** States of managed certificates, their orders at the certificate authority, and secrets of the installation. */
import type { Migration } from '../kernel/data/migrate.ts'

export const managedCertificates: Migration = {
  id: '0012-managed-certificates',
  statements: [
    `alter table certificate add column issuance text`,
    `alter table certificate add column renewal text`,
    `alter table certificate add column error_code text`,
    `alter table certificate add column error_message text`,
    `alter table certificate add column failures integer not null default 0`,
    `alter table certificate add column schedule_at integer`,
    `alter table certificate add column renew_at integer`,
    `alter table certificate add column hint_at integer`,
    `create index certificate_by_schedule on certificate (schedule_at, id) where schedule_at is not null`,
    `create index certificate_by_hint on certificate (hint_at, id) where hint_at is not null`,
    `create table certificate_order (
      certificate_id integer primary key references certificate (id),
      project_id integer not null,
      url text not null,
      challenges text not null,
      private_key text not null
    )`,
    `create table installation_secret (name text primary key, kek_id text not null, sealed text not null)`,
  ],
}
