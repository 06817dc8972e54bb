/** Load Balancers join and leave networks, on request. */
import type { Calls } from '../../../kernel/contract/contract.ts'
import { ApiError } from '../../../kernel/errors.ts'
import type { Platform } from '../../../platform.ts'
import { holdNetwork, placeBalancer } from '../../networks/effects.ts'
import { attachToNetwork, changing, detachFromNetwork } from '../actions.ts'
import { goesPrivate } from '../targets/domain.ts'
import { markRemoved, targetsOf } from '../targets/store.ts'
import type { placeEndpoints } from './contract.ts'
import { insertPlace, markLeaving, networkOf } from './store.ts'

type Call = Calls<typeof placeEndpoints>

/** Puts a Load Balancer into a network. Errors: those that the contract declares. */
export function attach(platform: Platform, call: Call['attachToNetwork']) {
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
}

/** Takes a Load Balancer out of its network, with its targets there. Errors: those that the contract declares. */
export function detach(platform: Platform, call: Call['detachFromNetwork']) {
  const { scope, body } = call
  const { network: networkId } = body
  return changing(platform, detachFromNetwork, call, {
    more: [{ type: 'network', id: networkId }],
    hold: (tx) => holdNetwork(tx, scope, networkId),
    async change(tx, { id }) {
      if ((await networkOf(tx.query, scope, id)) !== networkId) {
        throw new ApiError('not_found', 'the load balancer is not attached to this network')
      }
      const leaving = (await targetsOf(tx.query, scope, [id])).filter(goesPrivate)
      const targetIds = leaving.map((target) => target.id)
      await markRemoved(tx, scope, targetIds)
      await markLeaving(tx, scope, id)
    },
  })
}
