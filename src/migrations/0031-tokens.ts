/**
 * Tokens record what they may do and until when, who made them and when they were last used; the installation gets
 * tokens; actions record that a token that sees only some resources started them.
 */
import type { Migration } from '../kernel/data/migrate.ts'

export const tokens: Migration = {
  id: '0031-tokens',
  statements: [
    'alter table token add column expires integer',
    'alter table token add column last_used integer',
    'alter table token add column creator text',
    'alter table token add column scope text',
    'alter table token add column rotates integer',
    `create index token_by_project on token (project_id, id)`,
    `create table management_token (
      id integer primary key,
      name text not null,
      hash text not null unique,
      tail text not null,
      created text not null,
      expires integer,
      last_used integer
    )`,
    `create table token_action (
      project_id integer not null,
      action_id integer not null references action (id) on delete cascade,
      token_id integer not null references token (id) on delete cascade,
      primary key (action_id, token_id)
    )`,
    `create index token_action_by_token on token_action (token_id)`,
  ],
}
