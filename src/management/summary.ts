/** A summary of many Projects at once says what runs, what failed, what ends and what it costs. */
import { families } from '../families.ts'
import { runningByProject } from '../kernel/actions/activity.ts'
import type { Drivers } from '../kernel/actions/define.ts'
import { timestamp } from '../kernel/process/clock.ts'
import type { ProjectId } from '../kernel/scope.ts'
import type { Cost, Platform } from '../platform.ts'
import { rounded, sum, times } from '../protocols/net/decimal.ts'
import { failedActs } from './failures.ts'

/** The time before an end from which on the summary tells of it, in milliseconds. */
const soonMs = 30 * 86_400_000
const digits = 4
/** The time for which the summary tells of failures of actions, in milliseconds. */
const latelyMs = 86_400_000

export interface Summary {
  readonly running_actions: number
  readonly failed_resources: number
  readonly ending_certificates: number
  readonly monthly: { readonly currency: string; readonly net: string; readonly gross: string }
}

/** The summaries of some Projects. */
export async function summarize(
  platform: Platform,
  drivers: Drivers,
  ids: readonly ProjectId[],
): Promise<Map<ProjectId, Summary>> {
  const { db, clock, catalogue } = platform
  if (ids.length === 0) return new Map()
  const running = await runningByProject(db.query, ids)
  const until = timestamp(clock.now() + soonMs)
  const failed = new Map<ProjectId, number>()
  const ending = new Map<string, ReadonlyMap<ProjectId, number>>()
  const costs: Cost[] = []
  add(failed, await failedActs(db.query, ids, timestamp(clock.now() - latelyMs)))
  for (const family of families) {
    add(failed, await family.states.failed?.(platform, ids, until, drivers))
    ending.set(family.name, (await family.states.ending?.(platform, ids, until)) ?? new Map())
    costs.push(...(await family.costs(platform, ids)))
  }
  const { currency } = catalogue.pricing
  const byProject = Map.groupBy(costs, ({ projectId }) => projectId)
  return new Map(
    ids.map((id) => [
      id,
      {
        running_actions: running.get(id) ?? 0,
        failed_resources: failed.get(id) ?? 0,
        ending_certificates: ending.get('certificates')?.get(id) ?? 0,
        monthly: { currency, ...total(byProject.get(id) ?? []) },
      },
    ]),
  )
}

function add(sums: Map<ProjectId, number>, found: ReadonlyMap<ProjectId, number> = new Map()): void {
  for (const [id, count] of found) sums.set(id, (sums.get(id) ?? 0) + count)
}

function total(costs: readonly Cost[]) {
  const of = (kind: 'net' | 'gross') =>
    rounded(sum(costs.map(({ monthly, count }) => times(monthly?.[kind] ?? '0', count))), digits)
  return { net: of('net'), gross: of('gross') }
}
