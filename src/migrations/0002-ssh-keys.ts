/** SSH keys. */
import type { Migration } from '../kernel/data/migrate.ts'

export const sshKeys: Migration = {
  id: '0002-ssh-keys',
  statements: [
    `create table ssh_key (
      id integer primary key,
      project_id integer not null references project (id),
      name text not null,
      fingerprint text not null,
      public_key text not null,
      labels text not null,
      created text not null,
      version integer not null,
      unique (project_id, name),
      unique (project_id, fingerprint)
    )`,
    `create index ssh_key_by_id on ssh_key (project_id, id)`,
  ],
}
