/** Load Balancers in networks, through the API. */
import type { Handlers } from '../../../kernel/contract/contract.ts'
import { ApiError } from '../../../kernel/errors.ts'
import type { Platform } from '../../../platform.ts'
import { holdNetwork, placeBalancer } from '../../networks/effects.ts'
import { attachToNetwork, detachFromNetwork } from '../actions.ts'
import { changing } from '../changing.ts'
import { notInNetwork } from '../targets/add.ts'
import { goesPrivate } from '../targets/domain.ts'
import { markRemoved, targetsOf } from '../targets/store.ts'
import type { placeEndpoints } from './contract.ts'
import { insertPlace, markLeaving, networkOf } from './store.ts'

/** One handler for each endpoint that is about networks. */
export function placeRoutes(platform: Platform): Handlers<typeof placeEndpoints> {
  return {
    attachToNetwork(call) {
      const { scope, body } = call
      const { network: networkId } = body
      return changing(platform, attachToNetwork, call, {
        more: [{ type: 'network', id: networkId }],
        hold: (tx) => holdNetwork(tx, scope, networkId),
        async change(tx, { id: balancerId, locationId }) {
          if ((await networkOf(tx.query, scope, balancerId)) !== null) {
            throw new ApiError('load_balancer_already_attached', 'the load balancer is already attached to a network')
          }
          const wish = { locationId, ip: body.ip ?? undefined, ipRange: body.ip_range ?? undefined }
          const ip = await placeBalancer(tx, scope, platform, networkId, wish)
          await insertPlace(tx, scope, { balancerId, networkId, ip })
        },
      })
    },

    detachFromNetwork(call) {
      const { scope, body } = call
      const { network: networkId } = body
      return changing(platform, detachFromNetwork, call, {
        more: [{ type: 'network', id: networkId }],
        hold: (tx) => holdNetwork(tx, scope, networkId),
        async change(tx, { id }) {
          if ((await networkOf(tx.query, scope, id)) !== networkId) throw notInNetwork()
          const leaving = (await targetsOf(tx.query, scope, [id])).filter(goesPrivate)
          await markRemoved(
            tx,
            scope,
            leaving.map((target) => target.id),
          )
          await markLeaving(tx, scope, id)
        },
      })
    },
  }
}
