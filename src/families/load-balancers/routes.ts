/** Load Balancers through the API. */
import type { Drivers } from '../../kernel/actions/define.ts'
import { actionToWire } from '../../kernel/actions/routes.ts'
import { recordOf, refuseLocked, startAction } from '../../kernel/actions/store.ts'
import type { Handlers } from '../../kernel/contract/contract.ts'
import { ApiError } from '../../kernel/errors.ts'
import { resourceRoutes } from '../../kernel/resource/routes.ts'
import { act, conflicting } from '../../kernel/resource/work.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import {
  changeAlgorithm,
  changeProtection,
  changeType,
  deleteLoadBalancer,
  disablePublicInterface,
  enablePublicInterface,
  startOn,
} from './actions.ts'
import { changing } from './changing.ts'
import type { loadBalancerEndpoints } from './contract.ts'
import { create } from './creation.ts'
import { state } from './desired.ts'
import { type Observations, observe } from './observe.ts'
import { networkOf } from './places/store.ts'
import { removeBalancer } from './removal.ts'
import { loadBalancers, setShape } from './store.ts'
import { notInNetwork } from './targets/add.ts'
import { goesPrivate } from './targets/domain.ts'
import { targetsOf } from './targets/store.ts'
import { readType, tooMuchFor } from './types.ts'
import { loadBalancersToWire } from './view.ts'

/** One handler for each endpoint of Load Balancers themselves. */
export function loadBalancerRoutes(platform: Platform, drivers: Drivers): Handlers<typeof loadBalancerEndpoints> {
  const { db, secrets } = platform
  const look = (scope: ProjectScope, ids: readonly number[]): Promise<Observations> =>
    observe({ query: db.query, scope, drivers, secrets }, ids)
  /** The handlers with what `see` sees of Load Balancers. */
  const resource = (see: typeof look) =>
    resourceRoutes(platform, loadBalancers, async (some, query, { scope }) => {
      const seen = await see(
        scope,
        some.map(({ id }) => id),
      )
      return loadBalancersToWire(platform, query, scope, some, seen)
    })
  const { list, get } = resource(look)

  return {
    list,
    get,
    create: ({ scope, body }) => create(platform, scope, body),

    async update(call) {
      // No data plane is waited for within a transaction.
      const seen = await look(call.scope, [call.params.id])
      return resource(async () => seen).update(call)
    },

    remove: ({ scope, params: { id } }) =>
      conflicting(loadBalancers, async () => {
        const action = await db.transact(async (tx) => {
          const balancer = await loadBalancers.lock(tx, scope, id)
          if (balancer.isProtected) throw new ApiError('protected', 'Load Balancer deletion is protected')
          await refuseLocked(tx.query, scope, loadBalancers.ref(id))
          await removeBalancer(tx, scope, balancer, true)
          await state.renew(tx, scope, [id])
          return startAction(tx, scope, startOn(deleteLoadBalancer, id))
        })
        return { action: actionToWire(action) }
      }),

    changeAlgorithm: (call) =>
      changing(platform, changeAlgorithm, call, {
        change: (tx, balancer) => setShape(tx, call.scope, balancer, { algorithm: call.body.type }),
      }),

    changeType: (call) =>
      changing(platform, changeType, call, {
        async change(tx, balancer) {
          const type = readType(platform, call.body.load_balancer_type, balancer.typeId)
          const targets = await targetsOf(tx.query, call.scope, [balancer.id])
          const what = tooMuchFor(type, { services: balancer.services, targets: targets.length })
          if (what) {
            const message = `the Load Balancer has more ${what} than the type ${type.name} allows`
            throw new ApiError('invalid_load_balancer_type', message)
          }
          const { id: typeId, maxConnections } = type
          await setShape(tx, call.scope, balancer, { typeId, maxConnections })
        },
      }),

    enablePublicInterface: (call) =>
      changing(platform, enablePublicInterface, call, {
        change: (tx, balancer) => setShape(tx, call.scope, balancer, { isPublic: true }),
      }),

    disablePublicInterface: (call) =>
      changing(platform, disablePublicInterface, call, {
        async change(tx, balancer) {
          const { scope } = call
          if ((await networkOf(tx.query, scope, balancer.id)) === null) throw notInNetwork()
          const targets = await targetsOf(tx.query, scope, [balancer.id])
          if (!targets.every(goesPrivate)) {
            const message = 'the load balancer has targets that it reaches by public IP'
            throw new ApiError('targets_without_use_private_ip', message)
          }
          await setShape(tx, scope, balancer, { isPublic: false })
        },
      }),

    changeProtection: (call) =>
      act(platform, loadBalancers, call, async (tx, { id, isProtected }) => {
        const protect_delete = (call.body.delete ?? isProtected) ? 1 : 0
        await loadBalancers.set(tx, call.scope, id, { protect_delete })
        return recordOf(changeProtection, loadBalancers.ref(id))
      }),
  }
}
