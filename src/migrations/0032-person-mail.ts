/** Mail with links to people, until it is sent. */
import type { Migration } from '../kernel/data/migrate.ts'

export const personMail: Migration = {
  id: '0032-person-mail',
  statements: [
    `create table person_mail (
      id integer primary key,
      message_id text not null,
      sealed text not null,
      created text not null,
      expires integer not null,
      next_attempt_at integer not null,
      fence integer not null,
      attempts integer not null
    )`,
    `create index person_mail_by_attempt on person_mail (next_attempt_at, id)`,
    `create index person_mail_by_expiry on person_mail (expires)`,
  ],
}
