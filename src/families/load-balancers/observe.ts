/** What the data plane sees of Load Balancers, for those who read them. */
import { DriverError } from '../../kernel/actions/define.ts'
import { inTime } from '../../kernel/actions/in-time.ts'
import type { World } from '../../kernel/resource/desired.ts'
import { recallServers } from '../servers/effects.ts'
import { state } from './desired.ts'
import type { Observation } from './driver.ts'
import { serversBehind } from './targets/domain.ts'
import { resolvedTargetsOf } from './targets/store.ts'

export type Observations = ReadonlyMap<number, Observation>

/** Readers do not wait longer for a data plane: then nothing is known. */
const callTimeoutMs = 2_000

/**
 * Looks at some Load Balancers. Those of which the data plane has an older state than the confirmed one, as after a restart
 * or another process, are handed over again before. What does not answer is not seen.
 */
export async function observe(world: World, ids: readonly number[]): Promise<Observations> {
  const seen = await look(world, ids)
  // What does not answer is not told anything either.
  if (!seen) return new Map()
  const stale = await staleAmong(world, ids, seen)
  if (stale.length === 0) return seen
  const recalled = await Promise.all(stale.map((id) => orNothing(recall(world, id).then(() => id))))
  const told = recalled.filter((id) => id !== undefined)
  return new Map([...seen, ...((await look(world, told)) ?? [])])
}

/** What the data plane sees; undefined when it does not answer. */
export async function look(
  { drivers }: Pick<World, 'drivers'>,
  ids: readonly number[],
): Promise<Observations | undefined> {
  return ids.length === 0 ? new Map() : orNothing(drivers.loadBalancers.observe(ids))
}

/** What a data plane does in time; undefined when it fails. */
async function orNothing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await inTime(work, callTimeoutMs)
  } catch (error) {
    if (error instanceof DriverError) return undefined
    throw error
  }
}

async function staleAmong({ query, scope }: World, ids: readonly number[], seen: Observations): Promise<number[]> {
  const inForce = await state.inForce(query, scope, ids)
  return [...inForce].filter(([id, generation]) => (seen.get(id)?.generation ?? 0) < generation).map(([id]) => id)
}

/** A simulated data plane knows what the simulated servers of this process do, so these are recalled first. */
async function recall(world: World, id: number): Promise<void> {
  const targets = await resolvedTargetsOf(world.query, world.scope, [id])
  await recallServers(world, [...serversBehind(targets)])
  await state.repeat(world, id)
}
