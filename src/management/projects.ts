/** These operations on Projects are shared by several parts of the management API. */
import { deleteProject, type ProjectRow } from '../kernel/access/projects.ts'
import type { Database } from '../kernel/data/db.ts'
import { ApiError } from '../kernel/errors.ts'
import type { People } from '../people/people.ts'
import { countResources } from './store.ts'

/**
 * Deletes an empty Project; sessions of its members are let in no longer. Errors: `project_not_empty` with what is left.
 */
export async function removeProject(
  db: Database,
  project: ProjectRow,
  sessions: Pick<People['sessions'], 'forget'>,
): Promise<void> {
  if (await deleteProject(db, project)) return sessions.forget()
  const left = (await countResources(db.query, [project.id])).get(project.id)!
  const listed = Object.entries(left).map(([kind, count]) => `${count} ${kind}`)
  const message = `the Project still has ${listed.join(', ') || 'running actions'}; delete them first`
  throw new ApiError('project_not_empty', message, { status: 409, details: { resources: left } })
}
