/** Load Balancers as members of networks. */
import type { Transaction } from '../../../kernel/data/db.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { MemberKind } from '../../networks/members/attachment.ts'
import { toFollow } from '../actions.ts'
import { loadBalancers } from '../store.ts'
import { goesPrivate } from '../targets/domain.ts'
import { deleteTargets, targetsOf } from '../targets/store.ts'
import { followMember } from '../targets/work.ts'
import { type BalancerPlace, balancersIn, deletePlace, placeRows } from './store.ts'

export const loadBalancerMembers: MemberKind = {
  type: 'load_balancer',
  rows: placeRows,
  async within(query, scope, networkIds) {
    const places = await balancersIn(query, scope, networkIds)
    return places.map(({ balancerId, ...place }) => {
      return { ...place, type: 'load_balancer', id: balancerId, aliasIps: [], formerAliasIps: null }
    })
  },
  async idsWithin(query, scope, networkIds) {
    const places = Map.groupBy(await balancersIn(query, scope, networkIds), ({ networkId }) => networkId)
    const idsOf = (some: readonly BalancerPlace[]) => some.map(({ balancerId }) => balancerId).sort((a, b) => a - b)
    return new Map([...places].map(([networkId, some]) => [networkId, idsOf(some).join(',')]))
  },
  async occupancy(tx, scope, networkId) {
    const places = await balancersIn(tx.query, scope, [networkId])
    return { members: places.length, addresses: places.map(({ ip }) => ip) }
  },
  // Each is in one network at most.
  othersOf: async () => [],
  // Load Balancers are locked before servers, which leave first.
  async hold(tx, scope, networkId) {
    await loadBalancers.hold(tx, scope, await idsIn(tx, scope, networkId), 'update')
  },
  async leave(tx, scope, networkId) {
    const ids = await idsIn(tx, scope, networkId)
    const targets = await targetsOf(tx.query, scope, ids)
    await deleteTargets(tx, scope, targets.filter(goesPrivate))
    for (const id of ids) await deletePlace(tx, scope, id)
    return toFollow(tx, scope, ids)
  },
  readdress: followMember,
}

/** The Load Balancers in a network, by id. */
async function idsIn(tx: Transaction, scope: ProjectScope, networkId: number): Promise<number[]> {
  const places = await balancersIn(tx.query, scope, [networkId])
  return places.map(({ balancerId }) => balancerId).sort((a, b) => a - b)
}
