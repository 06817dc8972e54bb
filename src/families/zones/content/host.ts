/** The background job that deletes contents of all Projects. */
import { sql } from 'kysely'
import type { Database } from '../../../kernel/data/db.ts'
import { acrossProjects } from '../../../kernel/data/scoped.ts'
import { onBehalfOf } from '../../../kernel/process/behalf.ts'
import { deleteContent } from './store.ts'

/** A content that was replaced is kept this long for its readers, unless its zone is replaced once more meanwhile. */
const keptMs = 60_000
const contentsAtOnce = 100

/** Deletes every content that no zone has named for a while. */
export async function deleteExpired(db: Database): Promise<void> {
  for (;;) {
    const rows = await acrossProjects(db.query)
      .selectFrom('zone_content')
      .select(['id', 'project_id'])
      .where('expires', '<=', sql<number>`${db.dialect.nowMs} - ${keptMs}`)
      .limit(contentsAtOnce)
      .execute()
    for (const { id, project_id: projectId } of rows) {
      await onBehalfOf(projectId, () => deleteContent(db, { projectId }, id))
    }
    if (rows.length < contentsAtOnce) return
  }
}
