/** What the host's side asks about servers: it knows from the connection which server calls, not of which Project it is. */
import type { Queries } from '../../kernel/data/db.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Server } from './domain.ts'
import { fromRow } from './store.ts'

/** A server by its id alone, with its Project. Never for a request of a tenant. */
export async function serverById(
  query: Queries,
  id: number,
): Promise<{ server: Server; scope: ProjectScope } | undefined> {
  const row = await query.selectFrom('server').selectAll().where('id', '=', id).executeTakeFirst()
  return row && { server: fromRow(row), scope: { projectId: row.project_id } }
}
