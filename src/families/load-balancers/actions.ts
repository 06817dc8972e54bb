/** What happens to Load Balancers asynchronously: the data plane follows what is desired of one. */
import { type ActionInput, defineAction, defineRecord, type StepContext } from '../../kernel/actions/define.ts'
import { type ActionStart, awaitedBy, refuseLocked, startActions, toStart } from '../../kernel/actions/store.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { desiredStep } from '../../kernel/resource/desired.ts'
import { act, conflicting, type OnOne } from '../../kernel/resource/work.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import { state } from './desired.ts'
import type { LoadBalancer } from './domain.ts'
import { findLocked, loadBalancers, removeBalancer, settle } from './store.ts'

interface Input extends ActionInput {
  readonly balancer: number
}

type Context = StepContext<Input>

const ofBalancer = {
  name: 'apply',
  targets: ({ balancer }: Input): readonly number[] => [balancer],
}

/** Hands over a Load Balancer as it is wanted, and settles what was changed of it. */
const changeStep = desiredStep<Input>(state, {
  ...ofBalancer,
  missing: 'the Load Balancer no longer exists',
  done: (tx, { scope, input }) => settle(tx, scope, input.balancer, 'kept'),
})

/** An action that changes a Load Balancer, and takes the change back when it fails. */
function changeAction(command: string) {
  return defineAction<Input>({
    family: 'load_balancers',
    command,
    steps: [changeStep],
    async revert(tx: Transaction, { scope, input }: Context) {
      await settle(tx, scope, input.balancer, 'reverted')
      await state.renew(tx, scope, [input.balancer])
    },
  })
}

export const createLoadBalancer = defineAction<Input>({
  family: 'load_balancers',
  command: 'create_load_balancer',
  steps: [changeStep],
  async revert(tx, { scope, input: { balancer: id } }) {
    const balancer = await findLocked(tx, scope, id)
    if (balancer) await removeBalancer(tx, scope, balancer, false)
    // The data plane may have it all the same: the state stays until a driver confirms that it is gone.
    await state.renew(tx, scope, [id])
  },
})

export const addService = changeAction('add_service')
export const updateService = changeAction('update_service')
export const deleteService = changeAction('delete_service')
export const addTarget = changeAction('add_target')
export const removeTarget = changeAction('remove_target')
export const attachToNetwork = changeAction('attach_to_network')
export const detachFromNetwork = changeAction('detach_from_network')
export const changeAlgorithm = changeAction('change_algorithm')
export const changeType = changeAction('change_load_balancer_type')
export const enablePublicInterface = changeAction('enable_public_interface')
export const disablePublicInterface = changeAction('disable_public_interface')

/** Follows what changed around a Load Balancer. What fails is left to the reconciler. */
const updateTargets = defineAction<Input>({
  family: 'load_balancers',
  command: 'update_targets',
  steps: [desiredStep<Input>(state, ofBalancer)],
})

/** Removes a Load Balancer after the request that deleted it was answered. What fails is left to the reconciler. */
export const deleteLoadBalancer = defineAction<Input>({
  family: 'load_balancers',
  command: 'delete_load_balancer',
  steps: [desiredStep<Input>(state, ofBalancer)],
})

export const changeDnsPtr = defineRecord('load_balancers', 'change_dns_ptr')
export const changeProtection = defineRecord('load_balancers', 'change_protection')

export const loadBalancerActions = [
  createLoadBalancer,
  addService,
  updateService,
  deleteService,
  addTarget,
  removeTarget,
  attachToNetwork,
  detachFromNetwork,
  changeAlgorithm,
  changeType,
  enablePublicInterface,
  disablePublicInterface,
  updateTargets,
  deleteLoadBalancer,
  changeDnsPtr,
  changeProtection,
]

// ---- Their starts --------------------------------------------------------------------------------------------------

/** The start of an action on a Load Balancer, after those before it. `more` are the other resources that it names. */
export function startOn(definition: typeof addService, id: number, more: ActionStart['resources'] = []): ActionStart {
  const balancer = loadBalancers.ref(id)
  return toStart({
    definition,
    input: { balancer: id },
    resources: [balancer, ...more],
    serial: [balancer],
    locks: [balancer],
  })
}

/** A change of a Load Balancer. */
interface Change {
  /** Locks others that come before the Load Balancer. */
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
export function changing(platform: Platform, definition: typeof addService, call: OnOne, work: Change) {
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

/**
 * Lets the data plane follow what changed around some Load Balancers, unless an action is about to do so anyway: of one
 * Load Balancer, one action is under way and one waits, so that a data plane that stands still does not take the places
 * of all other actions. An action that begins at this very moment may still see what was desired before; the reconciler
 * makes that good.
 */
export async function follow(tx: Transaction, scope: ProjectScope, balancerIds: readonly number[]): Promise<void> {
  await startActions(tx, scope, await toFollow(tx, scope, balancerIds))
}

/** As `follow`, for a transaction that has more to do: it starts the actions at its end. */
export async function toFollow(
  tx: Transaction,
  scope: ProjectScope,
  balancerIds: readonly number[],
): Promise<ActionStart[]> {
  if (balancerIds.length === 0) return []
  const ids = [...new Set(balancerIds)].sort((a, b) => a - b)
  await state.renew(tx, scope, ids)
  const awaited = await awaitedBy(tx.query, scope, updateTargets)
  // They wait for each other alone: a driver keeps the newest state, whichever action hands it over.
  return ids
    .filter((id) => !awaited.has(id))
    .map((balancer) =>
      toStart({
        definition: updateTargets,
        input: { balancer },
        resources: [loadBalancers.ref(balancer)],
        serial: [{ type: 'load_balancer_state', id: balancer }],
      }),
    )
}
