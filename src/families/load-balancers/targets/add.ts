/** Adds targets to Load Balancers, on request and with their creation. */
import { projectName } from '../../../kernel/access/projects.ts'
import type { Transaction } from '../../../kernel/data/db.ts'
import { ApiError, invalidInput } from '../../../kernel/errors.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Platform } from '../../../platform.ts'
import { cidrContains } from '../../../protocols/net/ip.ts'
import { listPools } from '../../addresses/store.ts'
import { placesOf, vswitchRangesOf } from '../../networks/reads.ts'
import { primaryIpsOfServers } from '../../primary-ips/reads.ts'
import { holdServers, serversMatching } from '../../servers/reads.ts'
import { isPrivateAddress, keyOf, keyOfTarget, type NewTarget } from './domain.ts'
import { insertTarget, putMatches, targetsOf } from './store.ts'

/** What targets have to fit to. */
export interface Holder {
  readonly id: number
  readonly isPublic: boolean
  /** The network that the Load Balancer is in. */
  readonly network: number | null
}

/** Lets servers that are to be targets stay what they are until they are; returns those that the Project has. */
export function holdTargets(tx: Transaction, scope: ProjectScope, targets: readonly NewTarget[]) {
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
  const known = await holdTargets(tx, scope, targets)
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
