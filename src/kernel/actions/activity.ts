/** The actions of all families of a Project, newest first. */
import { type PageBack, pageBack } from '../data/backwards.ts'
import type { Queries } from '../data/db.ts'
import { acrossProjects, scoped } from '../data/scoped.ts'
import { largestId } from '../ids.ts'
import type { ProjectId, ProjectScope } from '../scope.ts'
import { standingFailures } from './failures.ts'
import { runningActions, toAction } from './history.ts'
import type { Action, ActionStatus } from './tables.ts'

export interface ActivityFilter {
  readonly statuses?: readonly ActionStatus[] | undefined
  readonly family?: string | undefined
  /** Only actions started at or after this time. */
  readonly since: string
}

/** The family that an action belongs to. */
export function familyOf({ definition }: Pick<Action, 'definition'>): string {
  return definition.slice(0, definition.indexOf('/'))
}

/** Counts the running actions of some Projects; those without any are left out. */
export async function runningByProject(query: Queries, ids: readonly ProjectId[]): Promise<Map<ProjectId, number>> {
  if (ids.length === 0) return new Map()
  const rows = await acrossProjects(query)
    .selectFrom('action')
    .select(({ fn }) => ['project_id', fn.countAll().as('running')])
    .where('status', '=', 'running')
    .where('project_id', 'in', ids)
    .groupBy('project_id')
    .execute()
  return new Map(rows.map(({ project_id, running }) => [project_id, Number(running)]))
}

/** A page of at most `most` actions with ids below `before`. */
export async function pageOfActivity(
  query: Queries,
  scope: ProjectScope,
  { statuses, family, since }: ActivityFilter,
  { before = largestId, most }: { readonly before?: number | undefined; readonly most: number },
): Promise<PageBack<Action>> {
  const passes = (action: Action) =>
    action.started >= since &&
    (statuses?.includes(action.status) ?? true) &&
    (family === undefined || familyOf(action) === family)
  if (statuses?.every((status) => status === 'running')) {
    // Few, and indexed.
    const running = (await runningActions(query, scope, { since })).reverse()
    const rest = running.filter((action) => action.id < before && passes(action))
    const rows = rest.slice(0, most)
    return { rows, next: rest.length > most ? rows.at(-1)!.id : null }
  }
  const read = async (below: number, limit: number) => {
    const rows = scoped(query, scope).selectFrom('action').selectAll().where('id', '<', below)
    return (await rows.orderBy('id', 'desc').limit(limit).execute()).map(toAction)
  }
  // Ids are drawn shortly before an action starts, so that one which started a little late may follow.
  return pageBack({ read, passes, isOver: ({ started }) => started < since && !isClose(started, since) }, before, most)
}

/** The same of failures that stand. */
export async function pageOfStanding(
  query: Queries,
  { projectId }: ProjectScope,
  { statuses, family, since }: ActivityFilter,
  { before = largestId, most }: { readonly before?: number | undefined; readonly most: number },
): Promise<PageBack<Action>> {
  const all = await standingFailures(query, [projectId], since)
  const rest = all.filter(
    (action) =>
      action.id < before &&
      (statuses?.includes(action.status) ?? true) &&
      (family === undefined || familyOf(action) === family),
  )
  const rows = rest.toSorted((one, other) => other.id - one.id).slice(0, most)
  return { rows, next: rest.length > most ? rows.at(-1)!.id : null }
}

const isClose = (started: string, since: string) => Date.parse(since) - Date.parse(started) < 60_000
