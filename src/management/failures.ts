/** Failures of actions in many Projects that somebody has to care about. */
import { familyOf } from '../kernel/actions/activity.ts'
import type { ResourceRef } from '../kernel/actions/define.ts'
import { standingFailures } from '../kernel/actions/failures.ts'
import type { Action } from '../kernel/actions/tables.ts'
import type { Queries } from '../kernel/data/db.ts'
import type { ProjectId } from '../kernel/scope.ts'
import { kinds, presentAmong } from './store.ts'

/** Families whose states tell of their failures. */
const told: ReadonlySet<string> = new Set(['certificates'])

/**
 * Counts the standing failures of actions since a time, by Project: without those whose state tells of them, and
 * without those about what is gone, unless the action was to make it.
 */
export async function failedActs(
  query: Queries,
  ids: readonly ProjectId[],
  since: string,
): Promise<ReadonlyMap<ProjectId, number>> {
  const failed = (await standingFailures(query, ids, since)).filter((action) => !told.has(familyOf(action)))
  const gone = await goneAmong(query, ids, failed)
  const counts = new Map<ProjectId, number>()
  for (const { project_id: id, command, resources } of failed) {
    if (!command.startsWith('create_') && resources.some((ref) => gone.has(keyOf(ref)))) continue
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return counts
}

const keyOf = ({ type, id }: ResourceRef) => `${type} ${id}`

/** The resources that there are no more. Images of the catalogue are in no table, and always there. */
async function goneAmong(
  query: Queries,
  projects: readonly ProjectId[],
  actions: readonly Action[],
): Promise<ReadonlySet<string>> {
  const gone = new Set<string>()
  for (const kind of kinds) {
    const { path, type } = kind
    const refs = actions.flatMap((action) =>
      action.resources.filter((ref) => ref.type === type && (type !== 'image' || familyOf(action) === path)),
    )
    if (refs.length === 0) continue
    const there = await presentAmong(query, projects, kind, [...new Set(refs.map(({ id }) => id))])
    for (const ref of refs) if (!there.has(ref.id)) gone.add(keyOf(ref))
  }
  return gone
}
