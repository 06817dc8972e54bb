/**
 * Projects that requests are about. A token or a membership is that of a Project which there is, but operators and their
 * automation name any, and each can be deleted while a request for it is under way.
 */

import type { Principal } from '../../access/principal.ts'
import { getProject, projectName } from '../../access/projects.ts'
import type { Queries } from '../../data/db.ts'
import { type ApiError, notFound } from '../../errors.ts'

/** Looks for the Project that a path names, before anything is asked of it. Errors: `not_found`. */
export async function findNamed({ scope }: Principal, query: Queries | undefined): Promise<void> {
  if (scope && query) await getProject(query, scope)
}

/** The refusal of a write whose Project is gone; undefined when it is there, or nobody knows. */
export async function refuseGone(
  principal: Principal | undefined,
  query: Queries | undefined,
): Promise<ApiError | undefined> {
  const scope = principal?.scope
  if (!scope || !query) return undefined
  return projectName(query, scope).then(
    (name) => (name === undefined ? notFound('Project', scope.projectId) : undefined),
    // Nothing is known of a Project while the database is away; the failure itself is reported.
    () => undefined,
  )
}
