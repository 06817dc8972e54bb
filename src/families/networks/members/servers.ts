/** Servers as members of networks. */
import type { Transaction } from '../../../kernel/data/db.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import { holdServers } from '../../servers/reads.ts'
import type { MemberKind } from './attachment.ts'
import { interfaces } from './desired.ts'
import { occupancyOf, placesOf, removeServers, serversIn } from './store.ts'

export const serverMembers: MemberKind = {
  type: 'server',
  async within(query, scope, networkIds) {
    const places = await serversIn(query, scope, networkIds)
    return places.map(({ serverId, ...place }) => ({ ...place, type: 'server', id: serverId }))
  },
  occupancy: (tx, scope, networkId) => occupancyOf(tx.query, scope, networkId),
  async othersOf(tx, scope, networkId) {
    const places = await placesOf(tx.query, scope, await holdAll(tx, scope, networkId))
    return places.map((place) => place.networkId).filter((id) => id !== networkId)
  },
  async leave(tx, scope, networkId) {
    const servers = await holdAll(tx, scope, networkId)
    await removeServers(tx, scope, networkId)
    await interfaces.renew(tx, scope, servers)
    return []
  },
}

/** The servers in a network, which nobody changes meanwhile; one that was deleted just now is not among them. */
async function holdAll(tx: Transaction, scope: ProjectScope, networkId: number): Promise<number[]> {
  const places = await serversIn(tx.query, scope, [networkId])
  const servers = places.map(({ serverId }) => serverId)
  return [...(await holdServers(tx, scope, servers))]
}
