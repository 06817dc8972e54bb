/** Servers and Load Balancers are put into networks, on request and with their creation, and taken out of them. */
import { actionToWire } from '../../../kernel/actions/routes.ts'
import { refuseLocked, startAction } from '../../../kernel/actions/store.ts'
import { inEffect } from '../../../kernel/contract/changes.ts'
import type { Calls } from '../../../kernel/contract/contract.ts'
import type { Transaction } from '../../../kernel/data/db.ts'
import { ApiError, invalidInput, limitExceeded, notFound } from '../../../kernel/errors.ts'
import { mostOf } from '../../../kernel/resource/limits.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Platform } from '../../../platform.ts'
import { parseAddress } from '../../../protocols/net/ip.ts'
import { holdServers, serversByIds } from '../../servers/reads.ts'
import { networkChanges } from '../changes.ts'
import { type Network, overlap, subnetAround } from '../domain.ts'
import { networks } from '../store.ts'
import { attachToNetwork, changeAliasIps, detachFromNetwork, startMember } from './actions.ts'
import { occupancyOf } from './attachments.ts'
import type { memberEndpoints } from './contract.ts'
import { interfaces } from './desired.ts'
import { chooseAddresses, chooseAliases, memberLimit, type ServerPlace, type Wish } from './domain.ts'
import { insertMember, placesOf, setMember } from './store.ts'

type Call = Calls<typeof memberEndpoints>

/** A network and a server that nobody else changes meanwhile. */
interface Pair {
  readonly network: Network
  readonly server: { readonly id: number; readonly locationId: number }
}

// ---- Requests ------------------------------------------------------------------------------------------------------

/** Puts a server into a network. Errors: those that the contract declares. */
export const attach = (platform: Platform, call: Call['attachToNetwork']) =>
  change(platform, attachToNetwork, call, async (tx, { network, server }) => {
    const { ip, ip_range: ipRange, alias_ips: aliasIps } = call.body
    checkRangeAsked(ipRange, platform.clock.now())
    await join(tx, call.scope, platform, network, server, { ip, ipRange, aliasIps })
  })

/** Takes a server out of a network. Errors: those that the contract declares. */
export const detach = (platform: Platform, call: Call['detachFromNetwork']) =>
  change(platform, detachFromNetwork, call, async (tx, pair) => {
    // Clients that detach take it for done.
    const place = await placeOf(tx, call.scope, pair, 'not_found')
    await setMember(tx, call.scope, place, { status: 'detaching' })
  })

/** Gives a server other alias addresses in a network. Errors: those that the contract declares. */
export const changeAliases = (platform: Platform, call: Call['changeAliasIps']) =>
  change(platform, changeAliasIps, call, async (tx, { network, server }) => {
    const place = await placeOf(tx, call.scope, { network, server }, 'service_error')
    const { addresses } = await occupancyOf(tx, call.scope, network.id)
    const others = new Set([...addresses].filter((address) => !place.aliasIps.includes(address)))
    const aliasIps = chooseAliases(network, place.ip, others, call.body.alias_ips)
    await setMember(tx, call.scope, place, { aliasIps, formerAliasIps: place.aliasIps, status: 'updating' })
  })

/** Does `work` with a network and a server, and starts the action. Errors: `not_found`, `locked`; those of `work`. */
async function change(
  { db }: Platform,
  definition: typeof attachToNetwork,
  { scope, params: { id }, body }: Pick<Call['detachFromNetwork'], 'scope' | 'params' | 'body'>,
  work: (tx: Transaction, pair: Pair) => Promise<void>,
) {
  const action = await db.transact(async (tx) => {
    const [server] = await serversByIds(tx.query, scope, [id])
    if (!server) throw notFound('server', id)
    const network = await networks.lock(tx, scope, body.network)
    if (!(await holdServers(tx, scope, [id], 'update')).has(id)) throw notFound('server', id)
    await refuseLocked(tx.query, scope, { type: 'server', id })
    await work(tx, { network, server })
    await interfaces.renew(tx, scope, [id])
    return startAction(tx, scope, startMember(definition, { server: id, network: network.id }, true))
  })
  return { action: actionToWire(action) }
}

/** Errors: the one with the given code. */
async function placeOf(
  tx: Transaction,
  scope: ProjectScope,
  { network, server }: Pair,
  missing: 'not_found' | 'service_error',
): Promise<ServerPlace> {
  const place = (await placesOf(tx.query, scope, [server.id])).find(({ networkId }) => networkId === network.id)
  if (!place) throw new ApiError(missing, 'the server is not attached to this network')
  return place
}

// ---- Finding a place -----------------------------------------------------------------------------------------------

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
async function findPlace(
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
    throw limitExceeded(memberLimit.path, `a network cannot have more than ${most} members`)
  }
  const zone = catalogue.locationById(locationId)?.network_zone ?? ''
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
function checkRangeAsked(ipRange: string | undefined, nowMs: number): void {
  if (ipRange === undefined || inEffect(networkChanges.attach_ip_range, nowMs)) return
  throw invalidInput([{ field: 'ip_range', message: 'unknown field' }])
}

/** A Load Balancer wants this of a network. */
interface BalancerWish {
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
