/** Owners of Projects and the outbox of mail. */
import type { Migration } from '../kernel/data/migrate.ts'

export const mail: Migration = {
  id: '0011-mail',
  statements: [
    `alter table project add column owner_email text`,
    `create table mail (
      id integer primary key,
      project_id integer not null references project (id) on delete cascade,
      event text not null,
      message_id text not null,
      recipient text not null,
      content text not null,
      created text not null,
      finished text,
      state text not null,
      attempts integer not null,
      queued_at integer not null,
      next_attempt_at integer not null,
      fence integer not null,
      last_error text,
      unique (project_id, event)
    )`,
    `create index mail_waiting on mail (next_attempt_at, id) where state = 'waiting'`,
    `create index mail_finished on mail (finished, id) where finished is not null`,
    `create index certificate_by_end on certificate (not_valid_after, id) where type = 'uploaded'`,
  ],
}
