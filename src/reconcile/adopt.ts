/** Makes hosts those of this installation. */
import type { Queries } from '../kernel/data/db.ts'
import type { ReconciledHosts, Thing } from './inventory.ts'
import { type Plan, planFor } from './plan.ts'

/** The result of an adoption: what was done, and what is left. */
export interface Adoption extends Pick<Plan, 'orphans'> {
  /** True when the hosts were of another installation before, or of none. */
  readonly isNew: boolean
  /** Things that have their marks back. */
  readonly marked: readonly Thing[]
}

/**
 * Takes hosts over from whoever had them, and gives what is known its marks back. What nobody knows stays; the reconciler
 * removes it in time. Errors: `DriverError`, and those of the database.
 */
export async function adopt(
  query: Queries,
  hosts: Omit<ReconciledHosts, 'name' | 'machines' | 'uphold'>,
  installation: string,
): Promise<Adoption> {
  const isNew = (await hosts.owner()) !== installation
  const { unmarked, orphans } = await planFor(query, hosts)
  for (const thing of unmarked) await hosts.remark(thing)
  await hosts.claim(installation)
  return { isNew, marked: unmarked, orphans }
}
