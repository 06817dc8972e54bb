/**
 * Projects that requests are about. A token or a membership is that of a Project which there is, but operators and their
 * automation name any, and each can be deleted while a request for it is under way.
 */

import { type Principal, principalIn, refusalOf } from '../../access/principal.ts'
import { getProject, projectName } from '../../access/projects.ts'
import type { Endpoint } from '../../contract/contract.ts'
import type { Queries } from '../../data/db.ts'
import { type ApiError, notFound } from '../../errors.ts'
import type { ProjectId } from '../../scope.ts'

/** The Project that a path names; undefined when it names none. */
export function projectNamed({ params }: { readonly params: unknown }): ProjectId | undefined {
  const { project_id: named } = params as { readonly project_id?: string }
  return named === undefined ? undefined : (Number(named) as ProjectId)
}

/**
 * Places the caller in the Project that the path names, if it names one. Returns the refusal of one who may not call the
 * endpoint.
 */
export function placed(
  request: { principal: Principal | undefined; readonly params: unknown },
  endpoint: Endpoint,
  nowMs: number,
): ApiError | undefined {
  if (!request.principal) return undefined
  const named = projectNamed(request)
  if (named !== undefined) request.principal = principalIn(request.principal, named)
  return refusalOf(request.principal, endpoint, nowMs)
}

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
