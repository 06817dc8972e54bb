/** Do the clusters of hosts answer, and are their engines as they have to be? */
import { failure, fine, reasonOf, type Seen } from '../../kernel/process/seen.ts'
import type { LookedAt, Patient } from '../patient.ts'

const advice = 'wolke infrastructure check looks at more, and docs/hosts.md says what hosts need'

export async function checkHosts({ clusters }: Patient): Promise<readonly Seen[]> {
  if (clusters.length === 0) return [fine('hosts', 'there are none: the infrastructure is simulated')]
  return (await Promise.all(clusters.map(clusterSeen))).flat()
}

async function clusterSeen({ name, look }: LookedAt): Promise<readonly Seen[]> {
  try {
    const found = await look()
    return found.map(({ what, isFine, says }) =>
      isFine ? fine(`${name}: ${what}`, says) : failure(`${name}: ${what}`, says, advice),
    )
  } catch (error) {
    return [failure(name, reasonOf(error), advice)]
  }
}
