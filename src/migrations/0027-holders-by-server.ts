/** The resources of a server are found by its Project and the server at once. */
import type { Migration } from '../kernel/data/migrate.ts'

/**
 * An index by server alone loses to the one by Project where several servers are asked for: SQLite would then go through
 * all that the Project has.
 */
export const holdersByServer: Migration = {
  id: '0027-holders-by-server',
  statements: ['primary_ip', 'floating_ip', 'volume'].flatMap((table) => [
    `drop index ${table}_by_server`,
    `create index ${table}_by_server on ${table} (project_id, server_id, id) where server_id is not null`,
  ]),
}
