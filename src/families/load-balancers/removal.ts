/** Takes Load Balancers away, with all that hangs on them. */
import type { Transaction } from '../../kernel/data/db.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { giveBackAddresses } from './addresses/store.ts'
import type { LoadBalancer } from './domain.ts'
import { deletePlace } from './places/store.ts'
import { loadBalancers, useCertificates } from './store.ts'
import { deleteTargets, targetsOf } from './targets/store.ts'

/**
 * Deletes a Load Balancer that the transaction has locked; `wasMade` is false for one whose creation failed. The caller
 * renews its desired state, which stays until a driver confirms that it is gone.
 */
export async function removeBalancer(
  tx: Transaction,
  scope: ProjectScope,
  balancer: LoadBalancer,
  wasMade: boolean,
): Promise<void> {
  const { id } = balancer
  await giveBackAddresses(tx, scope, balancer, wasMade)
  await useCertificates(tx, scope, id, [])
  await deleteTargets(tx, scope, await targetsOf(tx.query, scope, [id]))
  await deletePlace(tx, scope, id)
  await loadBalancers.remove(tx, scope, balancer)
}
