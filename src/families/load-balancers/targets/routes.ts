/** Targets of Load Balancers through the API. */
import { lockProject } from '../../../kernel/access/projects.ts'
import type { Handlers } from '../../../kernel/contract/contract.ts'
import type { Transaction } from '../../../kernel/data/db.ts'
import { ApiError } from '../../../kernel/errors.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Platform } from '../../../platform.ts'
import { addTarget, removeTarget } from '../actions.ts'
import { changing } from '../changing.ts'
import { networkOf } from '../places/store.ts'
import { checkRoom, typeOf } from '../types.ts'
import { addTargets } from './add.ts'
import type { targetEndpoints } from './contract.ts'
import { keyOf, keyOfTarget, type NewTarget, readTarget } from './domain.ts'
import { markRemoved, targetsOf } from './store.ts'

/** One handler for each endpoint that is about targets. */
export function targetRoutes(platform: Platform): Handlers<typeof targetEndpoints> {
  return {
    async addTarget(call) {
      const { scope } = call
      const target = readTarget(call.body)
      return changing(platform, addTarget, call, {
        hold: (tx) => holdLabels(tx, scope, [target]),
        async change(tx, { id, isPublic, typeId, services }) {
          await addTargets(tx, scope, platform, { id, isPublic, network: await networkOf(tx.query, scope, id) }, [
            target,
          ])
          const targets = await targetsOf(tx.query, scope, [id])
          checkRoom(typeOf(platform, typeId), { services, targets: targets.length })
        },
      })
    },

    async removeTarget(call) {
      const { scope } = call
      const { to } = readTarget(call.body)
      return changing(platform, removeTarget, call, {
        async change(tx, { id }) {
          const found = (await targetsOf(tx.query, scope, [id])).find((target) => keyOfTarget(target) === keyOf(to))
          if (!found) throw new ApiError('load_balancer_target_not_found', 'load balancer target not found')
          await markRemoved(tx, scope, [found.id])
        },
      })
    },
  }
}

/** As long as selectors are judged, no labels of the Project may change. */
export async function holdLabels(tx: Transaction, scope: ProjectScope, targets: readonly NewTarget[]): Promise<void> {
  if (targets.some(({ to }) => 'selector' in to)) await lockProject(tx, scope, 'update')
}
