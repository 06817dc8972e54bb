/** Changes of Load Balancers: one at a time, and taken back when they fail. */
import { type ActionStart, refuseLocked } from '../../kernel/actions/store.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { act, conflicting } from '../../kernel/resource/work.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import { type addService, startOn } from './actions.ts'
import { state } from './desired.ts'
import type { LoadBalancer } from './domain.ts'
import { loadBalancers } from './store.ts'

interface Call {
  readonly scope: ProjectScope
  readonly params: { readonly id: number }
}

interface Work {
  /** What has to be locked before the Load Balancer. */
  hold?(tx: Transaction): Promise<void>
  /** Changes what is desired of the Load Balancer, which the transaction has locked. */
  change(tx: Transaction, balancer: LoadBalancer): Promise<void>
  /** Other resources that the action names. */
  readonly more?: ActionStart['resources']
}

/**
 * Changes what is desired of a Load Balancer and starts the action that makes it so. Errors: `conflict` while another
 * change is under way; those of `work`.
 */
export function changing(platform: Platform, definition: typeof addService, call: Call, work: Work) {
  const { change, more = [] } = work
  const hold = async (tx: Transaction) => {
    // One that is missing is told before anything that the request names.
    if (work.hold) await loadBalancers.get(tx.query, call.scope, call.params.id)
    await work.hold?.(tx)
  }
  const begin = async (tx: Transaction, balancer: LoadBalancer) => {
    const { id } = balancer
    await refuseLocked(tx.query, call.scope, loadBalancers.ref(id))
    await change(tx, balancer)
    await state.renew(tx, call.scope, [id])
    return startOn(definition, id, more)
  }
  return conflicting(loadBalancers, () => act(platform, loadBalancers, call, begin, hold))
}
