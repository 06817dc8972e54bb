/** Makes hosts those of this installation. */
import type { Thing } from '../drivers/incus/survey.ts'
import type { Queries } from '../kernel/data/db.ts'
import { type Differences, differencesOf } from './differences.ts'
import type { KeptHosts } from './keeper.ts'

/** What was done, and what is left. */
export interface Adoption extends Pick<Differences, 'orphans'> {
  /** Whether the hosts were of another installation before, or of none. */
  readonly isNew: boolean
  /** What has its marks back. */
  readonly marked: readonly Thing[]
}

/**
 * Takes hosts over from whoever had them, and gives what is known its marks back. What nobody knows stays; the keeper
 * removes it in time. Errors: `DriverError`, and those of the database.
 */
export async function adopt(
  query: Queries,
  hosts: Pick<KeptHosts, 'locations' | 'networkZones' | 'survey' | 'owner' | 'claim'> & {
    remark(thing: Thing): Promise<void>
  },
  installation: string,
): Promise<Adoption> {
  const isNew = (await hosts.owner()) !== installation
  const { unmarked, orphans } = await differencesOf(query, hosts)
  for (const thing of unmarked) await hosts.remark(thing)
  await hosts.claim(installation)
  return { isNew, marked: unmarked, orphans }
}
