/** Puts servers and Load Balancers into networks, on request and with their creation. */
import { inEffect } from '../../../kernel/contract/changes.ts'
import type { Transaction } from '../../../kernel/data/db.ts'
import { ApiError, invalidInput } from '../../../kernel/errors.ts'
import { type LimitedKind, mostOf } from '../../../kernel/resource/limits.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Platform } from '../../../platform.ts'
import { networkChanges } from '../changes.ts'
import { type Network, overlap } from '../domain.ts'
import { networks } from '../store.ts'
import { occupancyOf } from './attachments.ts'
import { chooseAddresses, mostMembers, type Wish } from './domain.ts'
import { insertMember, placesOf } from './store.ts'

/** How much may be in each network of a Project. */
export const memberLimit: LimitedKind = {
  path: 'network_members',
  title: 'network member',
  type: 'network_attachment',
  most: mostMembers,
}

/**
 * Gives a server addresses in a network that the transaction has locked; the caller renews its interfaces afterwards.
 * Errors: `server_already_attached`, `networks_overlap`; those of `findPlace`.
 */
export async function join(
  tx: Transaction,
  scope: ProjectScope,
  platform: Pick<Platform, 'catalogue' | 'limits'>,
  network: Network,
  server: { readonly id: number; readonly locationId: number },
  wish: Wish,
): Promise<void> {
  const others = (await placesOf(tx.query, scope, [server.id])).map(({ networkId }) => networkId)
  if (others.includes(network.id)) {
    throw new ApiError('server_already_attached', 'the server is attached to this network already')
  }
  await refuseOverlap(tx, scope, network, others)
  const addresses = await findPlace(tx, scope, platform, network, server.locationId, wish)
  await insertMember(tx, scope, { networkId: network.id, serverId: server.id, ...addresses })
}

/**
 * The addresses that one more member gets in a network that the transaction has locked. Errors: `resource_limit_exceeded`;
 * those of `chooseAddresses`.
 */
export async function findPlace(
  tx: Transaction,
  scope: ProjectScope,
  { catalogue, limits }: Pick<Platform, 'catalogue' | 'limits'>,
  network: Network,
  locationId: number,
  wish: Wish,
): Promise<{ readonly ip: string; readonly aliasIps: string[] }> {
  const { members, addresses: taken } = await occupancyOf(tx, scope, network.id)
  const most = await mostOf(tx, scope, memberLimit, limits)
  if (most !== null && members >= most) {
    const details = { limits: [{ name: memberLimit.path }] }
    throw new ApiError('resource_limit_exceeded', `a network can have at most ${most} members`, { details })
  }
  const zone = catalogue.locationById(locationId)?.networkZone ?? ''
  return chooseAddresses(network, taken, zone, wish)
}

async function refuseOverlap(
  tx: Transaction,
  scope: ProjectScope,
  network: Network,
  ids: readonly number[],
): Promise<void> {
  const rival = (await networks.byIds(tx.query, scope, ids)).find(({ ipRange }) => overlap(ipRange, network.ipRange))
  if (!rival) return
  throw new ApiError('networks_overlap', `the network overlaps with network with ID '${rival.id}' of the server`)
}

/** Errors: `invalid_input` for a subnet that was named before this could be asked for. */
export function checkRangeAsked(ipRange: string | undefined, nowMs: number): void {
  if (ipRange === undefined || inEffect(networkChanges.attach_ip_range, nowMs)) return
  throw invalidInput([{ field: 'ip_range', message: 'unknown field' }])
}
