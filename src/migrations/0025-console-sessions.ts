/** Consoles that were asked for and that nobody has opened yet. */
import type { Migration } from '../kernel/data/migrate.ts'

export const consoleSessions: Migration = {
  id: '0025-console-sessions',
  statements: [
    `create table console_session (
      id integer primary key,
      project_id integer not null references project (id),
      server_id integer not null,
      token_hash text not null unique,
      password text not null,
      expires text not null
    )`,
    `create index console_session_by_server on console_session (project_id, server_id)`,
    `create index console_session_by_expiry on console_session (expires)`,
  ],
}
