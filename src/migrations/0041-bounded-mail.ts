/** Mail records its Project, and what was sent lately records its recipient, so that both can be bounded. */
import type { Migration } from '../kernel/data/migrate.ts'

export const boundedMail: Migration = {
  id: '0041-bounded-mail',
  statements: [
    'alter table person_mail add column project_id integer references project (id) on delete cascade',
    `create table person_mail_sent (
      id integer primary key,
      project_id integer references project (id) on delete cascade,
      recipient text not null,
      sent integer not null
    )`,
    'create index person_mail_sent_by_recipient on person_mail_sent (recipient, sent)',
    'create index person_mail_sent_by_project on person_mail_sent (project_id, sent)',
    'create index person_mail_sent_by_age on person_mail_sent (sent)',
  ],
}
