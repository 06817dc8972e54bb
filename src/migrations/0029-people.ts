/** People, how they prove who they are, what they belong to, and their sessions. */
import type { Migration } from '../kernel/data/migrate.ts'

export const people: Migration = {
  id: '0029-people',
  statements: [
    `create table person (
      id integer primary key,
      email text not null unique,
      name text not null,
      language text,
      theme text not null,
      installation_role text not null,
      created text not null,
      disabled text
    )`,
    `create table credential (
      id integer primary key,
      person_id integer not null references person (id),
      kind text not null,
      subject text not null,
      data text not null,
      counter integer not null,
      name text not null,
      created text not null,
      last_used text,
      unique (kind, subject)
    )`,
    `create index credential_by_person on credential (person_id, kind, id)`,
    `create table membership (
      id integer primary key,
      project_id integer not null references project (id) on delete cascade,
      person_id integer not null references person (id),
      role text not null,
      given_by text not null,
      created text not null,
      unique (project_id, person_id)
    )`,
    `create unique index membership_owner on membership (project_id) where role = 'owner'`,
    `create index membership_by_person on membership (person_id, project_id)`,
    `create table invitation (
      id integer primary key,
      project_id integer not null references project (id) on delete cascade,
      email text not null,
      role text not null,
      hash text not null unique,
      inviter_id integer references person (id),
      created text not null,
      expires integer not null
    )`,
    `create index invitation_by_project on invitation (project_id, id)`,
    `create index invitation_by_expiry on invitation (expires)`,
    `create table session (
      id integer primary key,
      hash text not null unique,
      person_id integer references person (id),
      token_id integer references token (id) on delete cascade,
      created text not null,
      last_seen integer not null,
      ends integer not null,
      elevated_until integer not null,
      network text not null,
      agent text not null
    )`,
    `create index session_by_person on session (person_id, id)`,
    `create index session_by_end on session (ends)`,
    `create table sign_in (
      id integer primary key,
      hash text not null unique,
      person_id integer not null references person (id),
      next text not null,
      expires integer not null
    )`,
    `create index sign_in_by_expiry on sign_in (expires)`,
    `create table ceremony (
      id integer primary key,
      hash text not null unique,
      kind text not null,
      person_id integer references person (id),
      data text not null,
      expires integer not null
    )`,
    `create index ceremony_by_expiry on ceremony (expires)`,
    `create table person_link (
      id integer primary key,
      hash text not null unique,
      kind text not null,
      person_id integer references person (id),
      expires integer not null
    )`,
    `create index person_link_by_expiry on person_link (expires)`,
    `create table guess (
      subject text primary key,
      failures integer not null,
      since integer not null,
      blocked_until integer not null
    )`,
    `create index guess_by_age on guess (since)`,
  ],
}
