/** Puts servers into networks, on request and with their creation. */
import type { Transaction } from '../../../kernel/data/db.ts'
import { ApiError } from '../../../kernel/errors.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Platform } from '../../../platform.ts'
import { type Network, overlap } from '../domain.ts'
import { networks } from '../store.ts'
import { interfaces } from './desired.ts'
import { chooseAddresses, mostMembers, takenBy, type Wish } from './domain.ts'
import { insertMember, membershipsOf, membersOf } from './store.ts'

/**
 * Gives a server addresses in a network that the transaction has locked. Errors: `server_already_attached`,
 * `networks_overlap`, `resource_limit_exceeded`; those of `chooseAddresses`.
 */
export async function join(
  tx: Transaction,
  scope: ProjectScope,
  { catalogue }: Pick<Platform, 'catalogue'>,
  network: Network,
  server: { readonly id: number; readonly locationId: number },
  wish: Wish,
): Promise<void> {
  const members = await membersOf(tx.query, scope, [network.id])
  if (members.some(({ serverId }) => serverId === server.id)) {
    throw new ApiError('server_already_attached', 'the server is attached to this network already')
  }
  if (members.length >= mostMembers) {
    const details = { limits: [{ name: 'network_attachments' }] }
    throw new ApiError('resource_limit_exceeded', `a network can have at most ${mostMembers} servers`, { details })
  }
  await refuseOverlap(tx, scope, network, server.id)
  const zone = catalogue.locationById(server.locationId)?.networkZone ?? ''
  const addresses = chooseAddresses(network, takenBy(members), zone, wish)
  await insertMember(tx, scope, { networkId: network.id, serverId: server.id, ...addresses })
  await interfaces.renew(tx, scope, [server.id])
}

async function refuseOverlap(tx: Transaction, scope: ProjectScope, network: Network, serverId: number): Promise<void> {
  const ids = (await membershipsOf(tx.query, scope, [serverId])).map(({ networkId }) => networkId)
  const rival = (await networks.byIds(tx.query, scope, ids)).find(({ ipRange }) => overlap(ipRange, network.ipRange))
  if (!rival) return
  throw new ApiError('networks_overlap', `the network overlaps with network with ID '${rival.id}' of the server`)
}
