/** Which servers a packet may meet in private networks. */
import type { Queries } from '../../../kernel/data/db.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { PrivateTarget } from '../../servers/attachment.ts'
import { holdsAddress } from '../domain.ts'
import { networks } from '../store.ts'
import type { ServerPlace } from './domain.ts'
import { placesOf, placesWith } from './store.ts'

/**
 * The servers that a packet of a server may pass or reach: those in its networks that have the address, and the gateways
 * of the routes to it, from which it may go on. Rather too many than too few of them.
 */
export async function onTheWay(
  query: Queries,
  scope: ProjectScope,
  from: number,
  to: PrivateTarget,
): Promise<readonly number[]> {
  const destinations = 'address' in to ? [to.address] : (await placesOf(query, scope, [to.server])).map(({ ip }) => ip)
  const met = new Set([from])
  for (let senders = [from]; senders.length > 0; ) {
    const holders = await nextHolders(query, scope, senders, destinations)
    senders = holders.map(({ serverId }) => serverId).filter((id) => !met.has(id))
    for (const id of senders) met.add(id)
  }
  met.delete(from)
  return [...met]
}

/** Who in the networks of some servers has one of the addresses, or that of the gateway of a route to one. */
async function nextHolders(
  query: Queries,
  scope: ProjectScope,
  senders: readonly number[],
  destinations: readonly string[],
): Promise<ServerPlace[]> {
  const places = await placesOf(query, scope, senders)
  const ids = [...new Set(places.map(({ networkId }) => networkId))]
  const gateways = (await networks.byIds(query, scope, ids)).flatMap(({ routes }) =>
    routes.filter(({ destination }) => destinations.some((address) => holdsAddress(destination, address))),
  )
  return placesWith(query, scope, [...destinations, ...gateways.map(({ gateway }) => gateway)], ids)
}
