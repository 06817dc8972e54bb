/** Primary IPs are made, assigned, named and deleted on request. */
import type { Catalogue } from '../../catalogue/catalogue.ts'
import { actionToWire } from '../../kernel/actions/routes.ts'
import { recordOf, refuseLocked, startAction } from '../../kernel/actions/store.ts'
import { inEffect } from '../../kernel/contract/changes.ts'
import { byIdOrName, type Calls, toIdOrName } from '../../kernel/contract/contract.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { ApiError, invalidInput, notFound } from '../../kernel/errors.ts'
import { act, adding, removing } from '../../kernel/resource/work.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import { type ReverseNameChange, withReverseName } from '../addresses/domain.ts'
import { noAddressLeft, releaseAddress } from '../addresses/store.ts'
import { locationOfDatacenter } from '../datacenters/reads.ts'
import { needsIpv4, serverState } from '../servers/effects.ts'
import { holdServers, serversByIds } from '../servers/reads.ts'
import {
  assignPrimaryIp,
  changePrimaryIpDnsPtr,
  changePrimaryIpProtection,
  startAddressing,
  unassignPrimaryIp,
} from './actions.ts'
import { primaryIpChanges } from './changes.ts'
import type { primaryIpEndpoints } from './contract.ts'
import type { IpType, PrimaryIp } from './domain.ts'
import { claimFor, insertPrimaryIp, primaryIps, primaryIpsOfServers, setReverseNames } from './store.ts'
import { primaryIpToWire } from './view.ts'

type Call = Calls<typeof primaryIpEndpoints>
type CreateBody = Call['create']['body']
type Server = NonNullable<Awaited<ReturnType<typeof lockServer>>>

// ---- Creation and deletion -----------------------------------------------------------------------------------------

/** Makes a Primary IP, for a server or for nobody yet. Errors: those that the contract declares. */
export function create(platform: Platform, { scope, body }: Call['create']) {
  return adding(platform, primaryIps, scope, async (tx) => {
    const { type, name, labels = {}, auto_delete } = body
    const { server, locationId } = await findPlace(platform, tx, scope, body)
    if (server) await checkFree(tx, scope, server, type)
    const claim = await claimFor(tx, scope, type)
    if (!claim) throw noAddressLeft(type, tx.now)
    const serverId = server?.id ?? null
    const given = { name, locationId, serverId, autoDelete: auto_delete ?? false, labels }
    const primaryIp = await insertPrimaryIp(tx, scope, claim, given, platform.defaultNames)
    const start = serverId !== null && startAddressing(assignPrimaryIp, { primaryIp: primaryIp.id, server: serverId })
    const action = start ? actionToWire(await startAction(tx, scope, start)) : null
    return { added: primaryIp, reply: { primary_ip: primaryIpToWire(platform, primaryIp), action } }
  })
}

/** Either a server brings its location, or the location is named. Errors: `invalid_input`. */
async function findPlace(
  { clock, catalogue }: Platform,
  tx: Transaction,
  scope: ProjectScope,
  body: CreateBody,
): Promise<{ server: Server | undefined; locationId: number }> {
  const { assignee_id, assignee_type, location, datacenter } = body
  const now = clock.now()
  if (assignee_type == null && !inEffect(primaryIpChanges.assignee_type_optional, now)) {
    throw invalidInput([{ field: 'assignee_type', message: 'is required' }])
  }
  if (datacenter !== undefined && inEffect(primaryIpChanges.primary_ip_datacenter_removed, now)) {
    const problem = { field: 'datacenter', message: 'unknown field' }
    throw invalidInput([problem], "invalid input: unknown field name 'datacenter'")
  }
  if ([assignee_id, location, datacenter].filter((given) => given != null).length !== 1) {
    const message = 'exactly one of assignee_id and location is required'
    throw invalidInput(['assignee_id', 'location'].map((field) => ({ field, message })))
  }
  if (assignee_id != null) {
    const server = await lockServer(tx, scope, assignee_id)
    if (!server) throw invalidInput([{ field: 'assignee_id', message: 'server not found' }])
    return { server, locationId: server.locationId }
  }
  return { server: undefined, locationId: findLocation(catalogue, location ?? undefined, datacenter) }
}

function findLocation(
  { locations, locationById, locationByName }: Catalogue,
  location: number | string | undefined,
  datacenter: number | string | undefined,
): number {
  const found =
    location === undefined
      ? locationOfDatacenter(locations, toIdOrName(datacenter!))
      : byIdOrName(location, locationById, locationByName)
  const field = location === undefined ? 'datacenter' : 'location'
  if (!found) throw invalidInput([{ field, message: `${field} not found` }])
  return found.id
}

/** Deletes a Primary IP. Errors: those that the contract declares. */
export function remove(platform: Platform, call: Call['remove']) {
  const { scope, params } = call
  const leave = async (tx: Transaction, primaryIp: PrimaryIp, server: Server | undefined) => {
    if (primaryIp.loadBalancerId !== null) throw mustBeUnassigned(`Load Balancer with ID '${primaryIp.loadBalancerId}'`)
    if (primaryIp.serverId !== null) await leaveBeforeDeletion(platform, tx, scope, primaryIp, server)
    await releaseAddress(tx, scope, primaryIp.ip)
  }
  return removing(platform, primaryIps, call, leave, (tx) => lockAssignee(tx, scope, params.id))
}

/** Before May 2026 an assigned one was unassigned on the way. */
async function leaveBeforeDeletion(
  { clock }: Platform,
  tx: Transaction,
  scope: ProjectScope,
  primaryIp: PrimaryIp,
  server: Server | undefined,
): Promise<void> {
  if (inEffect(primaryIpChanges.primary_ip_delete_needs_unassign, clock.now())) {
    throw mustBeUnassigned(`server with ID '${primaryIp.serverId}'`)
  }
  await startAction(tx, scope, await leaveServer(tx, scope, primaryIp, server))
}

const mustBeUnassigned = (owner: string) =>
  new ApiError('must_be_unassigned', `the primary IP must be unassigned before it is deleted: ${owner} has it`)

// ---- Changes -------------------------------------------------------------------------------------------------------

/** Refuses to delete a Primary IP with its server while it is protected. Errors: `invalid_input`. */
export async function afterUpdate(
  _tx: Transaction,
  _scope: ProjectScope,
  { isProtected }: PrimaryIp,
  { auto_delete }: { readonly auto_delete?: unknown },
): Promise<void> {
  if (auto_delete && isProtected) throw refuseBoth('auto_delete')
}

/** Gives an address a reverse name, or its default one. Errors: `invalid_input`. */
export const rename = (platform: Platform, call: Call['changeDnsPtr']) =>
  act(platform, primaryIps, call, async (tx, primaryIp) => {
    await setName(platform, tx, call.scope, primaryIp, call.body)
    return recordOf(changePrimaryIpDnsPtr, primaryIps.ref(primaryIp.id))
  })

/** The same for the address of a server. Errors: `not_found`, `invalid_input`. */
export async function renameOfServer(platform: Platform, { scope, params: { id }, body }: Call['changeServerDnsPtr']) {
  const action = await platform.db.transact(async (tx) => {
    // The server keeps its addresses while it is held.
    if (!(await holdServers(tx, scope, [id])).has(id)) throw notFound('server', id)
    const type = body.ip.includes(':') ? 'ipv6' : 'ipv4'
    const found = (await primaryIpsOfServers(tx.query, scope, [id])).find((ip) => ip.type === type)
    if (!found) throw invalidInput([{ field: 'ip', message: `the server has no ${type} address` }])
    await setName(platform, tx, scope, await primaryIps.lock(tx, scope, found.id), body)
    return startAction(tx, scope, recordOf(changePrimaryIpDnsPtr, { type: 'server', id }))
  })
  return { action: actionToWire(action) }
}

/** Errors: `invalid_input`. */
async function setName(
  { defaultNames }: Platform,
  tx: Transaction,
  scope: ProjectScope,
  primaryIp: PrimaryIp,
  change: ReverseNameChange,
): Promise<void> {
  const names = withReverseName(primaryIp, change, { defaults: defaultNames, nowMs: tx.now })
  await setReverseNames(tx, scope, primaryIp, names)
}

/** Protects a Primary IP from deletion, or no longer. Errors: `invalid_input`. */
export const changeProtection = (platform: Platform, call: Call['changeProtection']) =>
  act(platform, primaryIps, call, async (tx, { id, isProtected, autoDelete }) => {
    const wanted = call.body.delete ?? isProtected
    if (wanted && autoDelete) throw refuseBoth('delete')
    await primaryIps.set(tx, call.scope, id, { protect_delete: wanted ? 1 : 0 })
    return recordOf(changePrimaryIpProtection, primaryIps.ref(id))
  })

/** A Primary IP that goes with its server cannot be kept from being deleted. */
function refuseBoth(field: string): ApiError {
  return invalidInput([{ field, message: 'a primary IP is either protected or deleted with its server' }])
}

// ---- Owners --------------------------------------------------------------------------------------------------------

/** Gives a Primary IP to a server. Errors: those that the contract declares. */
export function assign(platform: Platform, call: Call['assign']) {
  const { scope, params, body } = call
  const move = async (tx: Transaction, primaryIp: PrimaryIp, server: Server | undefined) => {
    if (!server) throw notFound('server', body.assignee_id)
    await refuseLocked(tx.query, scope, primaryIps.ref(params.id))
    if (primaryIp.serverId !== null || primaryIp.loadBalancerId !== null) {
      throw new ApiError('primary_ip_already_assigned', 'the primary IP is already assigned')
    }
    if (primaryIp.locationId !== server.locationId) {
      throw new ApiError('primary_ip_location_mismatch', 'the primary IP and the server are in different locations')
    }
    await checkFree(tx, scope, server, primaryIp.type)
    await primaryIps.set(tx, scope, params.id, { server_id: server.id })
    return startAddressing(assignPrimaryIp, { primaryIp: params.id, server: server.id })
  }
  return act(platform, primaryIps, call, move, (tx) => lockServer(tx, scope, body.assignee_id))
}

/** Takes a Primary IP from its server. Errors: those of `leaveServer`. */
export function unassign(platform: Platform, call: Call['unassign']) {
  const { scope, params } = call
  const leave = (tx: Transaction, primaryIp: PrimaryIp, server: Server | undefined) =>
    leaveServer(tx, scope, primaryIp, server)
  return act(platform, primaryIps, call, leave, (tx) => lockAssignee(tx, scope, params.id))
}

/** Locks a server whose addresses are about to change; undefined when there is none. */
async function lockServer(tx: Transaction, scope: ProjectScope, id: number) {
  if (!(await holdServers(tx, scope, [id], 'update')).has(id)) return undefined
  await serverState.renew(tx, scope, [id])
  return (await serversByIds(tx.query, scope, [id]))[0]
}

/** Locks the server that has a Primary IP, which is locked after it. Errors: `not_found`. */
async function lockAssignee(tx: Transaction, scope: ProjectScope, id: number) {
  const { serverId } = await primaryIps.get(tx.query, scope, id)
  return serverId === null ? undefined : lockServer(tx, scope, serverId)
}

/**
 * Takes a Primary IP from its server. Errors: `locked`, `server_not_stopped`, `server_is_load_balancer_target`,
 * `service_error` when no server has it, `unsupported_error` when a Load Balancer has it.
 */
async function leaveServer(tx: Transaction, scope: ProjectScope, primaryIp: PrimaryIp, server?: Server) {
  const { id, type, serverId, loadBalancerId } = primaryIp
  await refuseLocked(tx.query, scope, primaryIps.ref(id))
  if (loadBalancerId !== null) {
    throw new ApiError('unsupported_error', 'a Load Balancer keeps its primary IPs for as long as it lives')
  }
  if (serverId === null) throw new ApiError('service_error', 'the primary IP is not assigned')
  // A rival was faster between the reading of the primary IP and its lock.
  if (server?.id !== serverId) throw new ApiError('locked', 'the primary IP is just being assigned')
  await checkStopped(tx, scope, server)
  if (type === 'ipv4' && (await needsIpv4(tx.query, scope, serverId))) {
    throw new ApiError('server_is_load_balancer_target', 'a Load Balancer reaches the server by this address')
  }
  await primaryIps.set(tx, scope, id, { server_id: null })
  return startAddressing(unassignPrimaryIp, { primaryIp: id, server: serverId })
}

/** Errors: `locked`, `server_not_stopped`. */
async function checkStopped(tx: Transaction, scope: ProjectScope, { id, status }: Server): Promise<void> {
  await refuseLocked(tx.query, scope, { type: 'server', id })
  if (status !== 'off') throw new ApiError('server_not_stopped', `server with ID '${id}' must be off`)
}

/** Errors: `locked`, `server_not_stopped`, `server_has_ipv4`, `server_has_ipv6` for a server that cannot get an address. */
async function checkFree(tx: Transaction, scope: ProjectScope, server: Server, type: IpType): Promise<void> {
  await checkStopped(tx, scope, server)
  const others = await primaryIpsOfServers(tx.query, scope, [server.id])
  if (!others.some((ip) => ip.type === type)) return
  throw new ApiError(`server_has_${type}`, `server with ID '${server.id}' already has an ${type} address`)
}
