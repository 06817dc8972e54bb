/** A scoped token sees some actions only. */
import { shows, type TokenScope } from '../access/token-scope.ts'
import type { Labels } from '../contract/labels.ts'
import type { Queries } from '../data/db.ts'
import { scoped } from '../data/scoped.ts'
import { firstId } from '../ids.ts'
import { labelsById } from '../resource/labels-of.ts'
import type { ProjectScope } from '../scope.ts'
import type { Action } from './tables.ts'

/**
 * Those of `actions` that a scoped token sees: they name a resource of a family that it is granted, and all their
 * resources match its selector. It also sees those that it started itself, so that it can wait for them, whatever became
 * of their resources. `familyOf` tells the path of the family whose resources are of a type.
 */
export async function visibleTo(
  limits: TokenScope,
  query: Queries,
  scope: ProjectScope,
  actions: readonly Action[],
  familyOf: (type: string) => string,
): Promise<Action[]> {
  const { families } = limits
  const ofFamilies = actions.filter(
    ({ resources }) => !families || resources.some(({ type }) => families.has(familyOf(type))),
  )
  if (!limits.within) return ofFamilies
  const own = await startedBy(query, scope, ofFamilies)
  const labels = await labelsIn(query, scope, ofFamilies)
  return ofFamilies.filter(
    ({ id, resources }) =>
      own.has(id) || resources.every((ref) => ref.id < firstId || isShown(limits, labels.get(ref.type)?.get(ref.id))),
  )
}

const isShown = (limits: TokenScope, labels: Labels | undefined) => labels !== undefined && shows(limits, labels)

/** The subset of `actions` that the token of `scope` started. */
async function startedBy(
  query: Queries,
  scope: ProjectScope,
  actions: readonly Action[],
): Promise<ReadonlySet<number>> {
  if (scope.startedBy === undefined || actions.length === 0) return new Set()
  const rows = await scoped(query, scope)
    .selectFrom('token_action')
    .select('action_id')
    .where('token_id', '=', scope.startedBy)
    .where(
      'action_id',
      'in',
      actions.map(({ id }) => id),
    )
    .execute()
  return new Set(rows.map(({ action_id }) => action_id))
}

/** The labels of all resources that actions name, by type and id. */
async function labelsIn(query: Queries, scope: ProjectScope, actions: readonly Action[]) {
  const refs = actions.flatMap(({ resources }) => resources).filter(({ id }) => id >= firstId)
  const found = new Map<string, ReadonlyMap<number, Labels>>()
  for (const [type, some] of Map.groupBy(refs, (ref) => ref.type)) {
    const ids = [...new Set(some.map(({ id }) => id))]
    found.set(type, await labelsById(query, scope, type, ids))
  }
  return found
}
