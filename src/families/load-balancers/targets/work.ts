/** Targets of Load Balancers: they are added and removed on request, and follow servers, their labels and addresses. */
import { lockProject, projectName } from '../../../kernel/access/projects.ts'
import type { Calls } from '../../../kernel/contract/contract.ts'
import type { Labels } from '../../../kernel/contract/labels.ts'
import type { Transaction } from '../../../kernel/data/db.ts'
import { ApiError, invalidInput } from '../../../kernel/errors.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Platform } from '../../../platform.ts'
import { cidrContains } from '../../../protocols/net/ip.ts'
import { listPools } from '../../addresses/store.ts'
import { placesOf, vswitchRangesOf } from '../../networks/reads.ts'
import { primaryIpsOfServers } from '../../primary-ips/reads.ts'
import { holdServers, serversMatching } from '../../servers/reads.ts'
import { addTarget, changing, follow, removeTarget } from '../actions.ts'
import { checkRoom, typeOf } from '../domain.ts'
import { networkOf, placesOfBalancers } from '../places/store.ts'
import type { targetEndpoints } from './contract.ts'
import { goesPrivate, isPrivateAddress, keyOf, keyOfTarget, type NewTarget, readTarget, type Target } from './domain.ts'
import {
  deleteTargets,
  dropMatches,
  holdTargets,
  insertTarget,
  markRemoved,
  matchesOfServer,
  putMatches,
  selectors,
  targetsNaming,
  targetsOf,
  targetsOfServer,
} from './store.ts'

type Call = Calls<typeof targetEndpoints>

/** Adds a target. Errors: `conflict`, `resource_limit_exceeded`; those of `readTarget` and `addTargets`. */
export async function add(platform: Platform, call: Call['addTarget']) {
  const { scope } = call
  const target = readTarget(call.body)
  return changing(platform, addTarget, call, {
    hold: (tx) => holdLabels(tx, scope, [target]),
    async change(tx, { id, isPublic, typeId, services }) {
      const network = await networkOf(tx.query, scope, id)
      await addTargets(tx, scope, platform, { id, isPublic, network }, [target])
      const targets = await targetsOf(tx.query, scope, [id])
      checkRoom(typeOf(platform.catalogue, typeId), { services, targets: targets.length })
    },
  })
}

/** Removes a target. Errors: `conflict`, `load_balancer_target_not_found`; those of `readTarget`. */
export async function remove(platform: Platform, call: Call['removeTarget']) {
  const { scope } = call
  const { to } = readTarget(call.body)
  return changing(platform, removeTarget, call, {
    async change(tx, { id }) {
      const found = (await targetsOf(tx.query, scope, [id])).find((target) => keyOfTarget(target) === keyOf(to))
      if (!found) throw new ApiError('load_balancer_target_not_found', 'load balancer target not found')
      await markRemoved(tx, scope, [found.id])
    },
  })
}

/** As long as selectors are judged, no labels of the Project may change. */
export async function holdLabels(tx: Transaction, scope: ProjectScope, targets: readonly NewTarget[]): Promise<void> {
  if (targets.some(({ to }) => 'selector' in to)) await lockProject(tx, scope, 'update')
}

// ---- Adding --------------------------------------------------------------------------------------------------------

/** Targets have to fit to it. */
export interface Holder {
  readonly id: number
  readonly isPublic: boolean
  /** The network that the Load Balancer is in. */
  readonly network: number | null
}

/** Lets servers that are to be targets stay what they are until they are; returns those that the Project has. */
export function holdTargetServers(tx: Transaction, scope: ProjectScope, targets: readonly NewTarget[]) {
  const ids = targets.flatMap(({ to }) => ('serverId' in to ? [to.serverId] : []))
  return holdServers(tx, scope, ids)
}

/**
 * Adds targets to a Load Balancer that the transaction has locked, after the Project if they have selectors. Errors: those
 * of `checkTarget`, and `target_already_defined`.
 */
export async function addTargets(
  tx: Transaction,
  scope: ProjectScope,
  platform: Platform,
  holder: Holder,
  targets: readonly NewTarget[],
): Promise<void> {
  const taken = new Set((await targetsOf(tx.query, scope, [holder.id])).map(keyOfTarget))
  const known = await holdTargetServers(tx, scope, targets)
  for (const target of targets) {
    const key = keyOf(target.to)
    if (taken.has(key)) throw new ApiError('target_already_defined', 'the target is already defined')
    taken.add(key)
    await checkTarget(tx, scope, platform, holder, target, known)
  }
  for (const target of targets) {
    const targetId = await insertTarget(tx, scope, holder.id, target)
    if (!('selector' in target.to)) continue
    const matching = await serversMatching(tx.query, scope, target.to.selector)
    await putMatches(
      tx,
      scope,
      { targetId, balancerId: holder.id },
      matching.map(({ id }) => id),
    )
  }
}

/**
 * Errors: `load_balancer_not_attached_to_network`, `load_balancer_public_interface_disabled`, and those of the kind of
 * target.
 */
async function checkTarget(
  tx: Transaction,
  scope: ProjectScope,
  platform: Platform,
  { isPublic, network }: Holder,
  { to, usesPrivateIp }: NewTarget,
  known: ReadonlySet<number>,
): Promise<void> {
  const isPrivate = 'ip' in to ? isPrivateAddress(to.ip) : usesPrivateIp
  if (isPrivate && network === null) throw notInNetwork()
  if (!isPrivate && !isPublic) {
    throw new ApiError(
      'load_balancer_public_interface_disabled',
      'load balancer public interface is disabled, cannot add target using public IP',
    )
  }
  if ('serverId' in to) await checkServer(tx, scope, to.serverId, isPrivate ? network : null, known)
  if ('ip' in to && isPrivate) await checkVswitch(tx, scope, to.ip, network!)
  if ('ip' in to && !isPrivate) await checkOwner(tx, scope, platform, to.ip)
}

/** The refusal of what needs a network. */
export const notInNetwork = (): ApiError =>
  new ApiError('load_balancer_not_attached_to_network', 'load balancer is not attached to a network')

/** Errors: `invalid_input` for an unknown server, `server_not_attached_to_network`, `missing_ipv4`. */
async function checkServer(
  tx: Transaction,
  scope: ProjectScope,
  id: number,
  network: number | null,
  known: ReadonlySet<number>,
): Promise<void> {
  if (!known.has(id)) {
    throw invalidInput([{ field: 'server', message: 'not found' }], 'cloud target was not found')
  }
  if (network === null) {
    const addresses = await primaryIpsOfServers(tx.query, scope, [id])
    if (addresses.some(({ type }) => type === 'ipv4')) return
    throw new ApiError('missing_ipv4', `server with ID '${id}' has no public IPv4 address`)
  }
  const places = await placesOf(tx.query, scope, [id])
  if (places.some(({ networkId, status }) => networkId === network && status !== 'detaching')) return
  throw new ApiError(
    'server_not_attached_to_network',
    `server with ID '${id}' is not in the network of the load balancer`,
  )
}

/** Errors: `network_has_no_vswitch_subnet`, `ip_not_in_vswitch_subnet`. */
async function checkVswitch(tx: Transaction, scope: ProjectScope, ip: string, network: number): Promise<void> {
  const ranges = await vswitchRangesOf(tx.query, scope, network)
  if (ranges.length === 0) {
    throw new ApiError('network_has_no_vswitch_subnet', 'the network of the load balancer has no subnet of a vSwitch')
  }
  if (ranges.some((range) => cidrContains(range, ip))) return
  throw new ApiError('ip_not_in_vswitch_subnet', `no subnet of a vSwitch holds the address ${ip}`)
}

/** Errors: `cloud_resource_ip_not_allowed`, `ip_not_owned`. */
async function checkOwner(tx: Transaction, scope: ProjectScope, { catalogue }: Platform, ip: string): Promise<void> {
  if ((await listPools(tx.query)).some((pool) => cidrContains(pool, ip))) {
    throw new ApiError('cloud_resource_ip_not_allowed', 'IP belongs to a Cloud resource')
  }
  const project = await projectName(tx.query, scope)
  if (project !== undefined && catalogue.ownsExternally(project, ip)) return
  throw new ApiError('ip_not_owned', `the address ${ip} is not owned by the Project`)
}

// ---- Following servers ---------------------------------------------------------------------------------------------

/**
 * Updates which selectors match a server that is new or has new labels; `before` are those that did. The transaction has
 * locked the Project and then the server.
 */
export async function rematchServer(
  tx: Transaction,
  scope: ProjectScope,
  server: { readonly id: number; readonly labels: Labels },
  before: ReadonlyMap<number, number>,
): Promise<void> {
  const matching = await selectors.matching(tx.query, scope, server.labels)
  if (matching.length + before.size === 0) return
  const after = new Set(matching.map(({ id }) => id))
  const lost = [...before].filter(([targetId]) => !after.has(targetId))
  const added = matching.filter(({ id }) => !before.has(id))
  const addedIds = added.map(({ id }) => id)
  const there = await holdTargets(tx, scope, addedIds)
  const found = added.filter(({ id }) => there.has(id))
  for (const { id, load_balancer_id: balancerId } of found) {
    await putMatches(tx, scope, { targetId: id, balancerId }, [server.id])
  }
  await dropMatches(
    tx,
    scope,
    server.id,
    lost.map(([targetId]) => targetId),
  )
  await follow(tx, scope, [...lost.map(([, balancerId]) => balancerId), ...found.map((row) => row.load_balancer_id)])
}

/** Removes a server that goes away from all targets. */
export async function forgetServer(tx: Transaction, scope: ProjectScope, serverId: number): Promise<void> {
  const named = await targetsNaming(tx.query, scope, [serverId])
  const matches = await matchesOfServer(tx.query, scope, serverId)
  await dropMatches(tx, scope, serverId, [...matches.keys()])
  await deleteTargets(tx, scope, named)
  await follow(tx, scope, [...named.map(({ balancerId }) => balancerId), ...matches.values()])
}

/** Follows a server that has other public addresses than before. */
export async function followServer(tx: Transaction, scope: ProjectScope, serverId: number): Promise<void> {
  const targets = await targetsOfServer(tx.query, scope, serverId)
  await followAround(
    tx,
    scope,
    targets.filter((target) => !goesPrivate(target)),
  )
}

/**
 * Follows a server that joined a network, left it, or has other addresses there. Having left that of a Load Balancer, it is
 * no target there.
 */
export async function followMember(
  tx: Transaction,
  scope: ProjectScope,
  serverId: number,
  networkId: number,
): Promise<void> {
  const targets = (await targetsOfServer(tx.query, scope, serverId)).filter(goesPrivate)
  const balancers = targets.map(({ balancerId }) => balancerId)
  const places = await placesOfBalancers(tx.query, scope, balancers)
  const here = new Set(places.filter((place) => place.networkId === networkId).map(({ balancerId }) => balancerId))
  const concerned = targets.filter(({ balancerId }) => here.has(balancerId))
  if (concerned.length === 0) return
  const isInside = (await placesOf(tx.query, scope, [serverId])).some((place) => place.networkId === networkId)
  const named = concerned.filter((target) => target.serverId === serverId)
  await deleteTargets(tx, scope, isInside ? [] : named)
  await followAround(tx, scope, concerned)
}

const followAround = (tx: Transaction, scope: ProjectScope, targets: readonly Target[]) =>
  follow(
    tx,
    scope,
    targets.map(({ balancerId }) => balancerId),
  )
