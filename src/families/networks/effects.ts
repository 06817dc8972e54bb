/** What other families may do in networks. */
import type { Transaction } from '../../kernel/data/db.ts'
import { ApiError, notFound } from '../../kernel/errors.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import { parseAddress } from '../../protocols/net/ip.ts'
import { subnetAround } from './domain.ts'
import { checkRangeAsked, findPlace } from './members/attach.ts'
import { networks } from './store.ts'

/** Locks a network that is to get another member. Errors: `not_found`. */
export async function holdNetwork(tx: Transaction, scope: ProjectScope, id: number): Promise<void> {
  if (!(await networks.hold(tx, scope, [id], 'update')).has(id)) throw notFound(networks.title, id)
}

/** What a Load Balancer wants of a network. */
export interface BalancerWish {
  readonly locationId: number
  readonly ip?: string | undefined
  /** The subnet to take one from. */
  readonly ipRange?: string | undefined
}

/**
 * The address that a Load Balancer gets in a network that the transaction has locked. Errors: `invalid_input`,
 * `no_subnet_available`, `ip_not_available`, `resource_limit_exceeded`.
 */
export async function placeBalancer(
  tx: Transaction,
  scope: ProjectScope,
  platform: Platform,
  networkId: number,
  { locationId, ip, ipRange }: BalancerWish,
): Promise<string> {
  checkRangeAsked(ipRange, platform.clock.now())
  const network = await networks.get(tx.query, scope, networkId)
  const asked = ip === undefined ? undefined : parseAddress(ip)
  if (asked?.ok && asked.family === 4 && subnetAround(network.subnets, asked.address) === undefined) {
    throw new ApiError('ip_not_available', `no subnet of the network holds the address ${ip}`)
  }
  return (await findPlace(tx, scope, platform, network, locationId, { ip, ipRange })).ip
}
