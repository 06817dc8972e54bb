/** Failures of actions that stand: nobody has done the same to the same resources with success since. */
import type { Queries } from '../data/db.ts'
import { acrossProjects } from '../data/scoped.ts'
import type { ProjectId } from '../scope.ts'
import { toAction } from './history.ts'
import type { Action } from './tables.ts'

/** The most failures that are looked at: the newest. */
const mostFailures = 1_000

/** Those of some Projects that started at or after a time, the newest first, each act on the same resources once. */
export async function standingFailures(
  query: Queries,
  projects: readonly ProjectId[],
  since: string,
): Promise<readonly Action[]> {
  if (projects.length === 0) return []
  const failed = await failuresSince(query, projects, since)
  if (failed.length === 0) return []
  const succeeded = await successesLike(query, projects, failed)
  const met = new Set<string>()
  return failed.filter((action) => {
    const acts = actsOf(action)
    const isNewest = !met.has(acts.join())
    met.add(acts.join())
    return isNewest && acts.some((act) => (succeeded.get(act) ?? 0) < action.id)
  })
}

async function failuresSince(query: Queries, projects: readonly ProjectId[], since: string): Promise<Action[]> {
  const rows = await acrossProjects(query)
    .selectFrom('action')
    .selectAll()
    .where('project_id', 'in', projects)
    .where('status', '=', 'error')
    .where('started', '>=', since)
    .orderBy('started', 'desc')
    .orderBy('id', 'desc')
    .limit(mostFailures)
    .execute()
  return rows.map(toAction)
}

/** Names the act of an action on each of its resources. */
const actsOf = ({ command, resources }: Pick<Action, 'command' | 'resources'>) =>
  resources.map(({ type, id }) => `${command} ${type} ${id}`)

/** The newest successes of the same commands on the same resources, also of actions that have no entry in the history yet. */
async function successesLike(
  query: Queries,
  projects: readonly ProjectId[],
  failed: readonly Action[],
): Promise<ReadonlyMap<string, number>> {
  const refs = failed.flatMap(({ resources }) => resources)
  const commands = [...new Set(failed.map(({ command }) => command))]
  const entered = await acrossProjects(query)
    .selectFrom('action_history')
    .select(({ fn }) => ['type', 'resource_id', 'command', fn.max('action_id').as('last')])
    .where('project_id', 'in', projects)
    .where('type', 'in', [...new Set(refs.map(({ type }) => type))])
    .where('resource_id', 'in', [...new Set(refs.map(({ id }) => id))])
    .where('status', '=', 'success')
    .where('command', 'in', commands)
    .groupBy(['type', 'resource_id', 'command'])
    .execute()
  const recent = await acrossProjects(query)
    .selectFrom('action_unfiled')
    .innerJoin('action', 'action.id', 'action_unfiled.action_id')
    .selectAll('action')
    .where('action_unfiled.project_id', 'in', projects)
    .where('action.status', '=', 'success')
    .where('action.command', 'in', commands)
    .orderBy('action.id')
    .execute()
  return new Map([
    ...entered.map(({ type, resource_id: id, command, last }) => [`${command} ${type} ${id}`, Number(last)] as const),
    ...recent.map(toAction).flatMap((action) => actsOf(action).map((act) => [act, action.id] as const)),
  ])
}
